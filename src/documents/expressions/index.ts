/** Expressions and templates: what the validator and the reducer import. */
export { compileExpression, isItemName } from "./compile";
export type {
  Compiled,
  CompiledExpression,
  Evaluated,
  ExpressionFault,
  ExpressionFaultCode,
  ExpressionOptions,
  ExpressionPosition,
  References,
  Scope,
  StepReference,
} from "./expression";
export {
  type CompiledTemplate,
  compileTemplate,
  type EvaluatedTemplate,
  type SecretLeaf,
  type TemplateExpression,
  type TemplateFault,
  type TemplateOptions,
  type TemplateReading,
} from "./templates";
