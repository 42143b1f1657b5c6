/** Runs of documents: compiled once, reduced event by event. What hosts need, and nothing of how it is done. */
export { type AuditLine, auditLines, auditText, readAudit, verifyAudit } from "./audit";
export { compileProgram } from "./compile/document";
export { UnrunnableDocument } from "./compile/parts";
export type { Program } from "./program";
export { redact } from "./redact";
export { type RunState, reducerOf } from "./reducer";
