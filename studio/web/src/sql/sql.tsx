// The view SQL, for development: an editor, the role as which the text runs, results, and the history.

import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { useMemo, useState } from "react";
import { useCatalog, type Catalog } from "../catalog";
import { Editor } from "../explore/editor";
import { useHistory } from "../explore/kept";
import { HistoryList } from "../explore/sides";
import { ask, Failure } from "../http";
import { useLoading } from "../loading";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Blank, duration, FailureNotice } from "../ui/parts";
import { firstLine, useDraft } from "./kept";
import { NewTable } from "./new-table";
import { OutcomeOf } from "./outcome";
import { offsetOf, runSql, type RunsAs, type SqlOutcome } from "./running";
import "../styles/access.css";
import "../styles/data.css";
import "../styles/explore.css";
import "../styles/sql.css";

const FIRST = "-- Ctrl-Enter runs the whole text, in one transaction.\nselect now();\n";
const LOGIN = "the login";

export default function SqlView() {
  const [text, setText] = useDraft(FIRST);
  const [as, setAs] = useState(LOGIN);
  const [isCreating, setCreating] = useState(false);
  const { past, remember, clear } = useHistory("portico-sql-history");
  const identities = useIdentities();
  const catalog = useCatalog();
  const language = useMemo(() => languageOf(catalog.value), [catalog.value]);
  const { ran, failure, isRunning, run, mark, edited } = useRun();
  const start = () => {
    remember({ query: text, variables: "", at: Date.now(), as });
    void run(text, identities.find((each) => each.name === as)?.runsAs ?? { role: null });
  };
  const show = (next: string) => {
    setText(next);
    edited();
  };
  return (
    <div className="sql-view">
      <aside aria-label="History" className="only-wide">
        <HistoryList past={past} clear={clear} take={show} what="Texts" name={firstLine} />
      </aside>
      <section className="ask" aria-label="SQL">
        <div className="row tools">
          <label className="row">
            <span className="small">Run as</span>
            <select value={as} onChange={(event) => setAs(event.target.value)}>
              {identities.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.label}
                </option>
              ))}
            </select>
          </label>
          <span className="grow" />
          <button onClick={() => setCreating(true)}>
            <Icon name="plus" /> New table
          </button>
          <button className="primary" onClick={start} disabled={isRunning}>
            <Icon name="play" /> {isRunning ? "Running" : "Run"}
          </button>
        </div>
        <Editor label="SQL" text={text} change={show} language={language} run={start} mark={mark} />
      </section>
      <section className="outcome" aria-label="Result" aria-busy={isRunning}>
        {failure && <FailureNotice failure={failure} />}
        {ran && <OutcomeOf outcome={ran.outcome} text={ran.text} />}
        {ran && <p className="small muted">{duration(ran.outcome.milliseconds)}, with the connection</p>}
        {!ran && !failure && (
          <Blank icon="sql" title="No result yet">
            The login of the service, or in the demonstration the owner of the database, may change everything. A role of the API has its grants and policies.
          </Blank>
        )}
        <details className="only-narrow">
          <summary>History</summary>
          <HistoryList past={past} clear={clear} take={show} what="Texts" name={firstLine} />
        </details>
      </section>
      {isCreating && (
        <NewTable
          close={() => setCreating(false)}
          edit={(next) => {
            show(next);
            setCreating(false);
          }}
        />
      )}
    </div>
  );
}

interface Identity {
  name: string;
  label: string;
  runsAs: RunsAs;
}

/** The login, the chosen caller with its claims, and the roles that the login may become. */
function useIdentities(): Identity[] {
  const caller = useCaller();
  const { value } = useLoading(() => ask<{ login: string; roles: string[] }>("sql"), []);
  const identities: Identity[] = [{ name: LOGIN, label: value ? `${value.login} (${LOGIN})` : LOGIN, runsAs: { role: null } }];
  if (caller.claims) identities.push({ name: caller.name, label: `${caller.name} (${caller.role}, with claims)`, runsAs: { role: caller.role, claims: caller.claims } });
  for (const each of value?.roles ?? []) identities.push({ name: `role ${each}`, label: each, runsAs: { role: each } });
  return identities;
}

function languageOf(catalog: Catalog | undefined) {
  const columns = (each: Catalog["relations"][number]) => each.columns.map(({ name }) => name);
  const names = (catalog?.relations ?? []).map((each): [string, string[]] => [`${each.schema}.${each.name}`, columns(each)]);
  return sql({ dialect: PostgreSQL, schema: Object.fromEntries(names), defaultSchema: "public" });
}

function useRun() {
  const [ran, setRan] = useState<{ outcome: SqlOutcome; text: string } | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const run = async (text: string, as: RunsAs) => {
    setRunning(true);
    setFailure(null);
    try {
      setRan({ outcome: await runSql(text, as), text });
      setEdited(false);
    } catch (error) {
      setRan(null);
      setFailure(error instanceof Failure ? error : new Failure(String(error)));
    } finally {
      setRunning(false);
    }
  };
  const mark = useMemo(() => (isEdited || !ran ? null : markOf(ran.outcome, ran.text)), [isEdited, ran]);
  return { ran, failure, isRunning, run, mark, edited: () => setEdited(true) };
}

/** The word at which PostgreSQL reports the failure. */
function markOf({ failure }: SqlOutcome, text: string) {
  if (!failure?.position) return null;
  const from = offsetOf(text, failure.position);
  const word = /^[\w.]+/.exec(text.slice(from))?.[0].length ?? 1;
  return { from, to: Math.min(text.length, from + word), message: failure.diagnosis.message };
}
