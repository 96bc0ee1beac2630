// The layout of the diagram. ELK computes it in a worker, so that the page stays usable meanwhile.

import ELK, { type ElkNode } from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Relation } from "../catalog";

export const WIDTH = 220;
const HEAD = 40;
const LINE = 22;
const MOST_COLUMNS = 9;
/** The number of tables in a chain of relationships that still fit side by side. */
const LONG_CHAIN = 10;

export interface Placed {
  id: string;
  relation: Relation;
  x: number;
  y: number;
  height: number;
  columns: { name: string; type: string; mark: "key" | "link" | "" }[];
  hidden: number;
}

export interface Drawn {
  id: string;
  from: string;
  to: string;
  name: string;
  /** The corners of its line, which leads around the tables. */
  points: { x: number; y: number }[];
}

export interface Layout {
  placed: Placed[];
  drawn: Drawn[];
  width: number;
  height: number;
}

/** The columns of a relation in the diagram: keys first, then foreign keys, then the rest. */
function columnsOf(relation: Relation) {
  const primary = new Set(relation.keys.find((each) => each.type === "p")?.columns ?? []);
  const links = new Set(relation.keys.filter((each) => each.type === "f").flatMap((each) => each.columns ?? []));
  const marked = relation.columns.map((each) => ({ name: each.name, type: each.type, mark: (primary.has(each.name) ? "key" : links.has(each.name) ? "link" : "") as "key" | "link" | "" }));
  const order = { key: 0, link: 1, "": 2 };
  return marked.sort((a, b) => order[a.mark] - order[b.mark]).slice(0, MOST_COLUMNS);
}

/** The number of tables in the longest chain of relationships, without those that close a cycle. */
function longestChain(drawn: Drawn[]): number {
  const next = new Map<string, string[]>();
  for (const each of drawn) next.set(each.from, [...(next.get(each.from) ?? []), each.to]);
  const known = new Map<string, number>();
  const from = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    // A preliminary value, so that cycles end.
    known.set(id, 0);
    const length = 1 + Math.max(0, ...(next.get(id) ?? []).map(from));
    known.set(id, length);
    return length;
  };
  return Math.max(0, ...[...next.keys()].map(from));
}

const ROUNDING = 8;

/** The path of a line with rounded corners, in the syntax of SVG. */
export function pathOf(points: Drawn["points"]): string {
  const parts = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (!before) return `M${point.x} ${point.y}`;
    if (!after) return `L${point.x} ${point.y}`;
    const [enter, leave] = [towards(point, before), towards(point, after)];
    return `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`;
  });
  return parts.join("");
}

/** The point where the rounding of a corner begins on the way to the next one. */
function towards(corner: Drawn["points"][number], next: Drawn["points"][number]) {
  const distance = Math.hypot(next.x - corner.x, next.y - corner.y) || 1;
  const share = Math.min(ROUNDING, distance / 2) / distance;
  return { x: corner.x + (next.x - corner.x) * share, y: corner.y + (next.y - corner.y) * share };
}

export async function layoutOf(relations: Relation[], signal: AbortSignal): Promise<Layout> {
  const known = new Set(relations.map((each) => each.oid));
  const placed: Placed[] = relations.map((relation) => {
    const columns = columnsOf(relation);
    const hidden = relation.columns.length - columns.length;
    return { id: String(relation.oid), relation, x: 0, y: 0, columns, hidden, height: HEAD + LINE * (columns.length + (hidden ? 1 : 0)) + 8 };
  });
  const drawn: Drawn[] = relations.flatMap((relation) =>
    relation.keys
      .filter((each) => each.type === "f" && each.to !== null && known.has(each.to))
      .map((each) => ({ id: `${relation.oid} ${each.name}`, from: String(relation.oid), to: String(each.to), name: each.name, points: [] })),
  );
  const elk = new ELK({ workerUrl });
  signal.addEventListener("abort", () => elk.terminateWorker());
  try {
    const graph: ElkNode = {
      id: "schema",
      layoutOptions: {
        "elk.algorithm": "layered",
        "elk.direction": "RIGHT",
        "elk.spacing.nodeNode": "36",
        "elk.layered.spacing.nodeNodeBetweenLayers": "90",
        "elk.spacing.componentComponent": "48",
        "elk.aspectRatio": "1.6",
        // A long chain continues in the next line.
        "elk.layered.wrapping.strategy": longestChain(drawn) > LONG_CHAIN ? "MULTI_EDGE" : "OFF",
        // Otherwise all tables that refer to the same table would be in one long column.
        "elk.layered.layering.strategy": "COFFMAN_GRAHAM",
        "elk.layered.layering.coffmanGraham.layerBound": String(Math.max(4, Math.ceil(Math.sqrt(placed.length)))),
      },
      children: placed.map((each) => ({ id: each.id, width: WIDTH, height: each.height })),
      edges: drawn.map((each) => ({ id: each.id, sources: [each.from], targets: [each.to] })),
    };
    const found: ElkNode = await elk.layout(graph);
    const places = new Map(found.children?.map((each) => [each.id, each]));
    for (const each of placed) {
      each.x = places.get(each.id)?.x ?? 0;
      each.y = places.get(each.id)?.y ?? 0;
    }
    const lines = new Map(found.edges?.map((each) => [each.id, each.sections ?? []]));
    for (const each of drawn) each.points = (lines.get(each.id) ?? []).flatMap(({ startPoint, bendPoints, endPoint }) => [startPoint, ...(bendPoints ?? []), endPoint]);
    return { placed, drawn, width: found.width ?? 0, height: found.height ?? 0 };
  } finally {
    elk.terminateWorker();
  }
}
