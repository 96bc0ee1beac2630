// PostgreSQL's plan of a statement as a tree: each step with its rows, and its cost or time.

import { count, duration, plural } from "../ui/parts";

export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "CTE Name"?: string;
  "Subplan Name"?: string;
  "Plan Rows": number;
  "Total Cost": number;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Actual Total Time"?: number;
  "Filter"?: string;
  "Index Cond"?: string;
  "Hash Cond"?: string;
  "Recheck Cond"?: string;
  "Sort Key"?: string[];
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

export interface Explained {
  paths: string[][];
  sql: string;
  plan: { Plan: PlanNode; "Planning Time"?: number; "Execution Time"?: number };
}

const timeOf = (node: PlanNode) => (node["Actual Total Time"] ?? 0) * (node["Actual Loops"] ?? 1);

/** The cost or time of a step without the steps below it. */
function own(node: PlanNode, of: (node: PlanNode) => number): number {
  return Math.max(0, of(node) - (node.Plans ?? []).reduce((sum, each) => sum + of(each), 0));
}

export function PlanTree({ explained }: { explained: Explained }) {
  const { Plan: root, "Execution Time": ran, "Planning Time": planned } = explained.plan;
  const wasRun = root["Actual Total Time"] !== undefined;
  const of = wasRun ? timeOf : (node: PlanNode) => node["Total Cost"];
  return (
    <div className="stack">
      <p className="muted small">
        {wasRun
          ? `It ran in ${duration(ran ?? timeOf(root))}${planned === undefined ? "" : `, after ${duration(planned)} of planning`}. Bars show the time of each step itself.`
          : `Estimated cost ${count.format(Math.round(root["Total Cost"]))}. Bars show the cost of each step itself; “Run and measure” shows times.`}
      </p>
      <ul className="plan">
        <Step node={root} of={of} total={of(root) || 1} wasRun={wasRun} />
      </ul>
    </div>
  );
}

function Step({ node, of, total, wasRun }: { node: PlanNode; of: (node: PlanNode) => number; total: number; wasRun: boolean }) {
  const share = Math.min(1, own(node, of) / total);
  const rows = wasRun ? (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1) : node["Plan Rows"];
  const conditions = [node["Index Cond"], node["Hash Cond"], node["Recheck Cond"], node["Filter"], node["Sort Key"]?.join(", ")].filter(Boolean);
  const name = [node["Relation Name"], node["Index Name"], node["CTE Name"]].filter(Boolean).join(" · ");
  return (
    <li>
      <div className={`step ${share > 0.3 ? "hot" : ""}`}>
        <div className="row">
          <strong>{node["Node Type"]}</strong>
          {name && <code>{name}</code>}
          {node["Subplan Name"] && <span className="badge">{node["Subplan Name"]}</span>}
          <span className="grow" />
          <span className="small muted">
            {plural(Math.round(rows), "row")}{wasRun ? "" : " expected"} · {wasRun ? duration(timeOf(node)) : `cost ${count.format(Math.round(node["Total Cost"]))}`}
          </span>
        </div>
        <meter min={0} max={1} value={share} aria-label={`${Math.round(share * 100)} % of the total`} />
        {conditions.map((each) => (
          <code key={each} className="condition">
            {each}
          </code>
        ))}
        {!!node["Rows Removed by Filter"] && <span className="small muted">{plural(node["Rows Removed by Filter"], "row")} removed by the filter</span>}
      </div>
      {node.Plans && (
        <ul>
          {node.Plans.map((each, index) => (
            <Step key={index} node={each} of={of} total={total} wasRun={wasRun} />
          ))}
        </ul>
      )}
    </li>
  );
}
