// Explore: ask questions as any caller, and see what becomes of them.

import { parse } from "graphql";
import { useEffect, useRef, useState } from "react";
import { Failure, run } from "../http";
import { useLoading, type Loading } from "../loading";
import { SchemaFailure } from "../schema-failure";
import { schemasOf, useOutline, type Collection, type Outline, type Schemas } from "../schemas";
import { useCaller, useSession } from "../session";
import { Icon, type IconName } from "../ui/icons";
import { plural, Waiting } from "../ui/parts";
import { Docs } from "./docs";
import { Editor } from "./editor";
import { example, greeting, NOTHING } from "./examples";
import { nameOf, newDocument, useDocuments, useHistory, type Past } from "./kept";
import { Result, type Ran } from "./result";
import "../styles/explore.css";

type Side = "examples" | "docs" | "history" | "";
const SIDES: { id: Side; label: string; icon: IconName }[] = [
  { id: "examples", label: "Examples", icon: "book" },
  { id: "docs", label: "Documentation", icon: "search" },
  { id: "history", label: "History", icon: "history" },
];

export default function Explore() {
  const caller = useCaller();
  const schemas = schemasOf(caller);
  const outline = useOutline();
  // What greets depends on the tables only; the rest of the schema comes while the visitor reads.
  const first = useLoading(() => schemas.outline().then((found) => greeting(found, schemas)), [caller.id]);
  if (first.isLoading && !first.value) return <Waiting what="the tables" />;
  return <Workbench outline={outline} schemas={schemas} first={first.value ?? NOTHING} />;
}

function Workbench({ outline, schemas, first }: { outline: Loading<Outline>; schemas: Schemas; first: string }) {
  const caller = useCaller();
  const { session } = useSession();
  const { isGreeting, documents, current, choose, open, change, close } = useDocuments(newDocument(first));
  const schema = useLoading(() => schemas.about(current.query), [caller.id, current.query]);
  const { past, remember, clear } = useHistory();
  const [side, setSide] = useState<Side>(() => (window.innerWidth > 1100 ? "examples" : ""));
  const [trail, setTrail] = useState<string[]>([]);
  const [ran, setRan] = useState<Ran | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(null);
  const kind = operationKind(current.query);

  const execute = async (trial = false, text = current.query, variables = current.variables) => {
    control.current?.abort();
    const own = (control.current = new AbortController());
    setRunning(true);
    setFailure(null);
    try {
      const operation = { query: text, variables: objectOf(variables, "Variables"), ...(trial ? { extensions: { dryRun: true } } : {}) };
      const headers = objectOf(current.headers, "Headers") as Record<string, string>;
      const travelled = await run(operation, caller, headers, own.signal);
      setRan({ operation: { query: text, variables: operation.variables }, travelled, isMutation: operationKind(text) === "mutation", tried: trial });
      remember({ query: text, variables, at: Date.now(), as: caller.name });
    } catch (error) {
      if (own.signal.aborted) return;
      setFailure(error instanceof Failure ? error : new Failure(String(error)));
    } finally {
      if (control.current === own) setRunning(false);
    }
  };
  useEffect(() => {
    // A first answer without a click; where others rely on the database, only clicks ask it.
    if (isGreeting && session?.development) void execute();
  }, []);
  const take = (query: string, variables = "") => {
    open(newDocument(query, variables));
    void execute(false, query, variables);
    if (window.innerWidth <= 760) setSide("");
  };

  return (
    <div className={`explore ${side ? "with-side" : ""}`}>
      <div className="rail" role="toolbar" aria-label="Panels" aria-orientation="vertical">
        {SIDES.map((each) => (
          <button key={each.id} className="plain" aria-pressed={side === each.id} aria-label={each.label} title={each.label} onClick={() => setSide(side === each.id ? "" : each.id)}>
            <Icon name={each.icon} />
          </button>
        ))}
      </div>
      {side && (
        <aside aria-label={SIDES.find((each) => each.id === side)!.label}>
          {side === "examples" && (outline.value ? <Examples items={outline.value.collections} take={async (each) => take(await example(each, schemas))} /> : <p className="muted">No schema, no examples.</p>)}
          {side === "docs" && (outline.value ? <Docs outline={outline.value} schemas={schemas} shown={trail} show={setTrail} /> : <p className="muted">The schema is not known.</p>)}
          {side === "history" && <HistoryList past={past} take={take} clear={clear} />}
        </aside>
      )}
      <section className="ask" aria-label="Document">
        <div className="row documents">
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
          {kind === "mutation" && session?.development && (
            <button onClick={() => execute(true)} disabled={isRunning} title="Run it with its policies and constraints, and roll it back">
              Try
            </button>
          )}
          <button className="primary" onClick={() => execute()} disabled={isRunning}>
            <Icon name="play" /> {isRunning ? "Running" : "Run"}
          </button>
        </div>
        {outline.failure && <SchemaFailure failure={outline.failure} again={outline.again} />}
        <div className="document">
          <Editor
            key={current.id}
            label="GraphQL document"
            text={current.query}
            change={(query) => change({ query })}
            language="graphql"
            schema={schema.value}
            run={() => void execute()}
            showInDocs={(type) => {
              setSide("docs");
              if (type) setTrail([type]);
            }}
          />
        </div>
        <details className="more" open={!!current.variables.trim()}>
          <summary>Variables</summary>
          <Editor key={`v${current.id}`} label="Variables" text={current.variables} change={(variables) => change({ variables })} language="json" run={() => void execute()} hint='{ "name": "value" }' />
        </details>
        <details className="more">
          <summary>Headers</summary>
          <Editor key={`h${current.id}`} label="Headers" text={current.headers} change={(headers) => change({ headers })} language="json" run={() => void execute()} hint='{ "X-Header": "value" }, beside those of the caller' />
        </details>
      </section>
      <Result ran={ran} failure={failure} isRunning={isRunning} />
    </div>
  );
}

const MOST = 300;

function Examples({ items, take }: { items: Collection[]; take: (collection: Collection) => void }) {
  const [search, setSearch] = useState("");
  const found = items.filter((each) => each.type.toLowerCase().includes(search.toLowerCase()));
  return (
    <div className="stack">
      <h2>Examples</h2>
      {items.length > 12 && <input type="search" aria-label="Search examples" placeholder={`Search ${plural(items.length, "table")}`} value={search} onChange={(event) => setSearch(event.target.value)} />}
      {!items.length && <p className="muted">This caller sees no table. Choose another one, or grant something.</p>}
      <ul className="side-list">
        {found.slice(0, MOST).map((each) => (
          <li key={each.field}>
            <button onClick={() => take(each)}>
              <Icon name="play" />
              <span className="ellipsis">{each.type}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > MOST && <p className="muted small">and {plural(found.length - MOST, "more table")}; search for them</p>}
    </div>
  );
}

function HistoryList({ past, take, clear }: { past: Past[]; take: (query: string, variables: string) => void; clear: () => void }) {
  if (!past.length) return <p className="muted">What you run is listed here, as long as this tab is open.</p>;
  return (
    <div className="stack">
      <div className="row">
        <h2 className="grow">History</h2>
        <button className="plain small" onClick={clear}>
          Clear
        </button>
      </div>
      <ul className="side-list">
        {past.map((each) => (
          <li key={each.at}>
            <button onClick={() => take(each.query, each.variables)}>
              <span className="grow">
                <span className="ellipsis">{nameOf(each.query)}</span>
                <span className="small muted">
                  {" "}
                  as {each.as}, {new Date(each.at).toLocaleTimeString()}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function objectOf(text: string, what: string): Record<string, unknown> | undefined {
  if (!text.trim()) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    if (found && typeof found === "object" && !Array.isArray(found)) return found as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Failure(`${what} must be a JSON object.`, "BAD_INPUT");
}

function operationKind(text: string): "query" | "mutation" | "" {
  try {
    const operation = parse(text, { noLocation: true }).definitions.find((each) => each.kind === "OperationDefinition");
    return operation?.kind === "OperationDefinition" && operation.operation === "mutation" ? "mutation" : "query";
  } catch {
    return "";
  }
}
