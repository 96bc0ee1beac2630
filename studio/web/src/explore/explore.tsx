// The view Explore: runs documents as any caller, and shows the response, the SQL, the plan and the times.

import { useEffect, useState } from "react";
import { useLoading, type Loading } from "../loading";
import { SchemaFailure } from "../schema-failure";
import { schemasOf, useOutline, type Outline, type Schemas } from "../schemas";
import { useCaller, useSession } from "../session";
import { Icon } from "../ui/icons";
import { Waiting } from "../ui/parts";
import { Docs } from "./docs";
import { Editor } from "./editor";
import { example, greeting, NOTHING } from "./examples";
import { nameOf, newDocument, useDocuments, useHistory } from "./kept";
import { Result } from "./result";
import { operationKind, useRunning } from "./running";
import { Examples, HistoryList, Rail, SIDES, type Side } from "./sides";
import "../styles/explore.css";

export default function Explore() {
  const caller = useCaller();
  const schemas = schemasOf(caller);
  const outline = useOutline();
  // The first document depends only on the tables; the rest of the schema is loaded while the visitor reads.
  const first = useLoading(() => schemas.outline().then((found) => greeting(found, schemas)), [caller.id]);
  if (first.isLoading && !first.value) return <Waiting what="the tables" />;
  return <Workbench outline={outline} schemas={schemas} first={first.value ?? NOTHING} />;
}

function Workbench({ outline, schemas, first }: { outline: Loading<Outline>; schemas: Schemas; first: string }) {
  const caller = useCaller();
  const { session } = useSession();
  const open = useDocuments(newDocument(first));
  const { current, change } = open;
  const schema = useLoading(() => schemas.about(current.query), [caller.id, current.query]);
  const { past, remember, clear } = useHistory();
  const { ran, live, failure, isRunning, execute, listen, stop } = useRunning(remember);
  const [side, setSide] = useState<Side>(() => (window.innerWidth > 1100 ? "examples" : ""));
  const [trail, setTrail] = useState<string[]>([]);
  const run = () => void execute(current);
  useEffect(() => {
    // In development the first document runs without a click. Elsewhere others rely on the database, so only clicks send
    // requests.
    if (open.isGreeting && session?.development) run();
  }, []);
  const take = (query: string, variables = "") => {
    const taken = newDocument(query, variables);
    open.open(taken);
    void execute(taken);
    if (window.innerWidth <= 760) setSide("");
  };
  const showInDocs = (type?: string) => {
    setSide("docs");
    if (type) setTrail([type]);
  };

  return (
    <div className={`explore ${side ? "with-side" : ""}`}>
      <Rail side={side} open={setSide} />
      {side && (
        <aside aria-label={SIDES.find((each) => each.id === side)!.label}>
          {side === "examples" && (outline.value ? <Examples items={outline.value.collections} take={async (each) => take(await example(each, schemas))} /> : <p className="muted">The schema could not be loaded, so there are no examples.</p>)}
          {side === "docs" && (outline.value ? <Docs outline={outline.value} schemas={schemas} shown={trail} show={setTrail} /> : <p className="muted">The schema could not be loaded.</p>)}
          {side === "history" && <HistoryList past={past} take={take} clear={clear} />}
        </aside>
      )}
      <section className="ask" aria-label="Document">
        <div className="row documents">
          <OpenDocuments {...open} />
          {operationKind(current.query) === "mutation" && session?.development && (
            <button onClick={() => void execute(current, true)} disabled={isRunning} title="Run it under its policies and constraints, then roll it back">
              Dry run
            </button>
          )}
          {operationKind(current.query) === "query" && (
            <button onClick={() => listen(current)} title="Show the answer, and a new one whenever it has changed">
              <Icon name="live" /> Live
            </button>
          )}
          <button className="primary" onClick={run} disabled={isRunning}>
            <Icon name="play" /> {isRunning ? "Running" : "Run"}
          </button>
        </div>
        {outline.failure && <SchemaFailure failure={outline.failure} again={outline.again} />}
        <div className="document">
          <Editor key={current.id} label="GraphQL document" text={current.query} change={(query) => change({ query })} language="graphql" schema={schema.value} run={run} showInDocs={showInDocs} />
        </div>
        <details className="more" open={!!current.variables.trim()}>
          <summary>Variables</summary>
          <Editor key={`v${current.id}`} label="Variables" text={current.variables} change={(variables) => change({ variables })} language="json" run={run} hint='{ "name": "value" }' />
        </details>
        <details className="more">
          <summary>Headers</summary>
          <Editor key={`h${current.id}`} label="Headers" text={current.headers} change={(headers) => change({ headers })} language="json" run={run} hint='{ "X-Header": "value" }, in addition to those of the caller' />
        </details>
      </section>
      <Result ran={ran} live={live} stop={stop} failure={failure} isRunning={isRunning} />
    </div>
  );
}

function OpenDocuments({ documents, current, choose, open, close }: ReturnType<typeof useDocuments>) {
  return (
    <ul className="row grow" aria-label="Open documents">
      {documents.map((each) => (
        <li key={each.id} className={each.id === current.id ? "chosen" : ""}>
          <button className="plain" aria-pressed={each.id === current.id} onClick={() => choose(each.id)}>
            {nameOf(each.query)}
          </button>
          {documents.length > 1 && (
            <button className="plain" aria-label={`Close ${nameOf(each.query)}`} onClick={() => close(each.id)}>
              <Icon name="close" />
            </button>
          )}
        </li>
      ))}
      <li>
        <button className="plain" aria-label="New document" onClick={() => open(newDocument())}>
          <Icon name="plus" />
        </button>
      </li>
    </ul>
  );
}
