/** The virtual clock. Only a script moves it. */
export interface Clock {
  nowMs: number;
}
