/** Numbers as people read them. Pure. */
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** `1.2K`, `3M`. */
export const compactly = (count: number): string => compact.format(count);

const axis = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** `$0.05`, `$1.2K`: for the axis of a chart. */
export const dollarsOnAxis = (usd: number): string => `$${axis.format(usd)}`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2030-01-09` is `9 Jan`. */
export function shortDay(day: string): string {
  const [, month, date] = day.split("-").map(Number);
  return `${date} ${MONTHS[(month ?? 1) - 1] ?? ""}`;
}

/** Small sums keep the digits that matter. */
export function dollars(usd: number): string {
  const digits = usd === 0 || usd >= 1 ? 2 : usd >= 0.01 ? 4 : 6;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
