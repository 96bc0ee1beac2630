// The response, with its SQL, PostgreSQL's plan, and the time of each stage.

import { useState } from "react";
import { run, type Failure, type Operation, type Travelled } from "../http";
import { useLoading } from "../loading";
import { Refusal } from "../refusal";
import { useCaller, type Caller } from "../session";
import { Blank, bytes, duration, FailureNotice, Notice, Panel, plural, Sql, Tabs, Waiting } from "../ui/parts";
import { Editor } from "./editor";
import { LiveAnswers, type Live } from "./live";
import { PlanTree, type Explained } from "./plan";
import { laidOut } from "./sql";

export interface Ran {
  operation: Operation;
  travelled: Travelled;
  isMutation: boolean;
  tried: boolean;
}

const LONGEST = 400_000;

interface Given {
  ran: Ran | null;
  live: Live | null;
  stop: () => void;
  failure: Failure | null;
  isRunning: boolean;
}

export function Result({ ran, live, stop, failure, isRunning }: Given) {
  const [shown, setShown] = useState("answer");
  const tabs = [
    { id: "answer", label: "Response" },
    { id: "sql", label: "SQL" },
    { id: "plan", label: "Plan" },
    { id: "times", label: "Times" },
  ];
  return (
    <section className="result" aria-label="Result" aria-busy={isRunning}>
      <div className="row result-head">
        <Tabs name="result" label="Result" tabs={tabs} chosen={shown} choose={setShown} />
        <span className="grow" />
        {ran && (
          <span className="small muted figures">
            {duration(ran.travelled.milliseconds)} · {bytes(ran.travelled.bytes)}
            {ran.tried && " · rolled back"}
          </span>
        )}
      </div>
      <Panel name="result" chosen={shown} className="result-body">
        {failure && <FailureNotice failure={failure} />}
        {live && (shown === "answer" ? <LiveAnswers live={live} stop={stop} /> : <p className="muted">A stream has answers only. Run the operation as a query to see its SQL, its plan and its times.</p>)}
        {!ran && !live && !failure && (
          <Blank icon="play" title="No result yet">
            Run the document with Ctrl-Enter, or choose an example from the list.
          </Blank>
        )}
        {ran && shown === "answer" && <AnswerPanel ran={ran} />}
        {ran && (shown === "sql" || shown === "plan") && <Behind key={JSON.stringify(ran.operation)} ran={ran} shown={shown} />}
        {ran && shown === "times" && <Times ran={ran} />}
      </Panel>
    </section>
  );
}

function AnswerPanel({ ran }: { ran: Ran }) {
  const { answer, text } = ran.travelled;
  const long = text.length > LONGEST;
  const shown = long ? text.slice(0, LONGEST) : JSON.stringify(answer, null, 2);
  return (
    <div className="stack">
      {answer.errors?.map((each, index) => <Refusal key={index} error={each} query={ran.operation.query} />)}
      {long && <Notice tone="info">{`The response is ${bytes(ran.travelled.bytes)} long; only its beginning is shown.`}</Notice>}
      <Editor key={long ? "text" : "json"} label="Response" text={shown} language="json" />
    </div>
  );
}

async function explain(ran: Ran, how: "plan" | "analyze", caller: Caller): Promise<Explained[]> {
  const { answer } = await run({ ...ran.operation, extensions: { explain: how } }, caller);
  if (answer.errors) throw new ExplainRefused(answer.errors[0]!.message);
  return (answer.extensions?.["explain"] ?? []) as Explained[];
}

class ExplainRefused extends Error {}

function Behind({ ran, shown }: { ran: Ran; shown: "sql" | "plan" }) {
  const caller = useCaller();
  const [how, setHow] = useState<"plan" | "analyze">("plan");
  const loading = useLoading(() => explain(ran, how, caller), [how, caller.id]);
  if (loading.failure) {
    return (
      <Notice tone="warn" title="The service does not explain this operation">
        <p>{loading.failure.message.replace(/^Error: /, "")}</p>
        <p className="muted">EXPLAIN_ROLES names the roles that may see SQL and plans; with DEVELOPMENT=on all roles of the API may.</p>
      </Notice>
    );
  }
  if (!loading.value) return <Waiting what="the plan" />;
  if (!loading.value.length) return <Blank icon="explore" title="No SQL was needed">The response contains no data from the database.</Blank>;
  return (
    <div className="stack">
      <div className="row">
        <span className="muted small">
          {plural(loading.value.length, "statement")} in one round trip, as <code>{caller.role}</code>
        </span>
        <span className="grow" />
        {shown === "plan" && !ran.isMutation && (
          <button onClick={() => setHow(how === "plan" ? "analyze" : "plan")} disabled={loading.isLoading}>
            {how === "plan" ? "Run and measure" : "Estimate only"}
          </button>
        )}
      </div>
      {loading.value.map((each, index) => (
        <div key={index} className="stack">
          {loading.value!.length > 1 && <h3>{each.paths.map((path) => path.join(".")).join(", ")}</h3>}
          {shown === "sql" ? <Sql text={laidOut(each.sql)} /> : <PlanTree explained={each} />}
        </div>
      ))}
    </div>
  );
}

const STAGES: Record<string, string> = {
  parse: "reads the document and chooses the operation",
  authorize: "finds the caller and its role's schema",
  plan: "makes the SQL, or takes the cached plan",
  execute: "sends role, claims and statements in one flight, and reads the results",
  shape: "copies PostgreSQL's JSON into the response",
};

function Times({ ran }: { ran: Ran }) {
  const { stages, milliseconds } = ran.travelled;
  const inside = stages.reduce((sum, each) => sum + each.milliseconds, 0);
  const rows = [...stages.map((each) => ({ ...each, about: STAGES[each.name] ?? "" })), { name: "network and queue", milliseconds: Math.max(0, milliseconds - inside), about: "between this browser and the service, and waiting for a thread" }];
  return (
    <table className="times">
      <caption className="visually-hidden">Time by stage</caption>
      <thead>
        <tr>
          <th>Stage</th>
          <th>Time</th>
          <th>Share</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((each) => (
          <tr key={each.name}>
            <th scope="row">
              {each.name}
              <div className="muted small only-wide">{each.about}</div>
            </th>
            <td className="mono">{duration(each.milliseconds)}</td>
            <td>
              <meter min={0} max={1} value={each.milliseconds / milliseconds} aria-label={`${Math.round((100 * each.milliseconds) / milliseconds)} %`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
