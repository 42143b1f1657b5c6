/** The door to the SQL of this room: rules of users, rules of agents, their vectors. */
export * from "./agent-store";
export * from "./rows";
export * from "./user-store";
export * from "./vector-store";
