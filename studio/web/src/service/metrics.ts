// Reads figures from the Prometheus text of /metrics, and computes the changes between two readings.

export interface Reading {
  at: number;
  requests: Map<string, number>;
  seconds: Map<string, number>;
  stages: Map<string, number>;
  buckets: Map<number, number>;
  gauges: Map<string, number>;
}

const LINE = /^(\w+)(?:\{([^}]*)\})? ([-+.\deE]+|NaN|\+Inf)$/gm;

export function readingOf(text: string): Reading {
  const reading: Reading = { at: performance.now(), requests: new Map(), seconds: new Map(), stages: new Map(), buckets: new Map(), gauges: new Map() };
  const add = <Key>(to: Map<Key, number>, key: Key, value: number) => to.set(key, (to.get(key) ?? 0) + value);
  for (const [, name, labels = "", number] of text.matchAll(LINE)) {
    const label = (which: string) => new RegExp(`${which}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const value = Number(number);
    // Requests of this page are not counted.
    if (label("face") === "metrics" || label("face") === "studio") continue;
    if (name === "portico_request_seconds_count") add(reading.requests, `${label("face")} ${label("status")}`, value);
    else if (name === "portico_request_seconds_sum") add(reading.seconds, label("face"), value);
    else if (name === "portico_request_seconds_bucket") add(reading.buckets, label("le") === "+Inf" ? Infinity : Number(label("le")), value);
    else if (name === "portico_stage_seconds_total") add(reading.stages, label("stage"), value);
    else if (/^portico_(plans|plan_hits_total|plan_misses_total|connections_in_use)$/.test(name!)) add(reading.gauges, name!, value);
  }
  return reading;
}

export const total = (of: Map<unknown, number>) => [...of.values()].reduce((sum, each) => sum + each, 0);

/** Requests per second between two readings. */
export function rate(before: Reading, after: Reading): number {
  return Math.max(0, total(after.requests) - total(before.requests)) / ((after.at - before.at) / 1000);
}

/** Milliseconds of each stage of an average request between two readings. */
export function stagesBetween(before: Reading, after: Reading): { name: string; milliseconds: number }[] {
  const graphql = (reading: Reading) => [...reading.requests].reduce((sum, [key, value]) => sum + (key.startsWith("graphql") ? value : 0), 0);
  const requests = Math.max(1, graphql(after) - graphql(before));
  return ["parse", "authorize", "plan", "execute", "shape"].map((name) => ({
    name,
    milliseconds: (1000 * Math.max(0, (after.stages.get(name) ?? 0) - (before.stages.get(name) ?? 0))) / requests,
  }));
}

/** The time within which a share of all requests was answered, in milliseconds, according to the histogram's buckets. */
export function quantile(reading: Reading, share: number): number | null {
  const bounds = [...reading.buckets].sort(([a], [b]) => a - b);
  const all = bounds.at(-1)?.[1] ?? 0;
  const found = bounds.find(([, below]) => below >= share * all);
  return all && found ? found[0] * 1000 : null;
}
