// The view Service: health, current load, settings and plugins.

import { useEffect, useState } from "react";
import { ask, send, type Failure } from "../http";
import { useLoading } from "../loading";
import { useSession } from "../session";
import { Loaded } from "../ui/loaded";
import { count, duration, FailureNotice, Waiting } from "../ui/parts";
import { Line } from "./chart";
import { quantile, rate, readingOf, stagesBetween, total, type Reading } from "./metrics";
import { SlowOperations } from "./slow";
import "../styles/service.css";

interface ServiceDetails {
  version: string;
  database: { version: string; name: string };
  settings: { name: string; value: string; help: string; secret: boolean }[];
  plugins: { name: string; from: string; about: string; disabled: boolean; problem: string }[];
}

const EVERY_MS = 2000;
const MOST_READINGS = 60;

export default function Service() {
  return (
    <div className="padded">
      <Health />
      <Live />
      <SlowOperations />
      <About />
    </div>
  );
}

function Health() {
  const { value, failure, again } = useLoading(async () => {
    const answer = await send("/health");
    return (await answer.json()) as { process: string; database: string; plugins?: Record<string, string> };
  }, []);
  useEffect(() => {
    const timer = window.setInterval(again, 10_000);
    return () => window.clearInterval(timer);
  }, [again]);
  if (failure && !value) return <FailureNotice failure={failure} again={again} />;
  if (!value) return <Waiting what="health" />;
  const isWell = !failure && value.process === "ok" && value.database === "ok";
  return (
    <p className={`notice ${isWell ? "tone-good" : "tone-bad"}`} role="status">
      <strong>{failure ? "The service does not answer." : isWell ? "The process and the database respond." : `Process: ${value.process}. Database: ${value.database}.`}</strong>
      {Object.entries(value.plugins ?? {}).map(([name, place]) => (
        <span key={name}>
          The plugin {name} {place}.
        </span>
      ))}
    </p>
  );
}

function useReadings(): { readings: Reading[]; failure: Failure | null; missing: boolean } {
  const [readings, setReadings] = useState<Reading[]>([]);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    let timer = 0;
    let stopped = false;
    const read = async () => {
      try {
        const answer = await send("/metrics");
        if (answer.status === 404) return setMissing(true);
        const reading = readingOf(await answer.text());
        setReadings((old) => [...old, reading].slice(-MOST_READINGS));
        setFailure(null);
      } catch (error) {
        setFailure(error as Failure);
      }
      if (!stopped) timer = window.setTimeout(read, document.hidden ? 5 * EVERY_MS : EVERY_MS);
    };
    void read();
    return () => {
      stopped = true;
      window.clearTimeout(timer);
    };
  }, []);
  return { readings, failure, missing };
}

function Live() {
  const { readings, failure, missing } = useReadings();
  if (missing) return <p className="muted">The plugin metrics is not loaded, so there are no figures to show.</p>;
  const last = readings.at(-1);
  if (!last) return failure ? null : <Waiting what="figures" />;
  const pairs = readings.slice(1).map((each, index) => [readings[index]!, each] as const);
  const span = stagesBetween(readings[0]!, last);
  const recent = total(last.requests) > total(readings[0]!.requests);
  const stages = recent ? span : stagesBetween({ ...last, requests: new Map(), stages: new Map() }, last);
  const longest = Math.max(0.001, ...stages.map((each) => each.milliseconds));
  const hits = last.gauges.get("portico_plan_hits_total") ?? 0;
  const misses = last.gauges.get("portico_plan_misses_total") ?? 0;
  const slow = quantile(last, 0.99);
  return (
    <section className="live" aria-label="Now">
      <div className="card">
        <Line label="Requests" values={pairs.map(([before, after]) => rate(before, after))} unit="per second" />
      </div>
      <div className="card">
        <Line label="Database connections in use" values={readings.map((each) => each.gauges.get("portico_connections_in_use") ?? 0)} unit="now" />
      </div>
      <div className="card stack">
        <p className="muted small">Average GraphQL request{recent ? " while this page is open" : " since the start"}</p>
        <dl className="stages">
          {stages.map((each) => (
            <div key={each.name}>
              <dt>{each.name}</dt>
              <dd>
                <meter min={0} max={longest} value={each.milliseconds} aria-label={`${each.name}: ${duration(each.milliseconds)}`} />
              </dd>
              <dd className="mono">{duration(each.milliseconds)}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="card stack">
        <p className="muted small">Since the start</p>
        <p>
          <strong>{count.format(total(last.requests))}</strong> requests
          {slow !== null && (
            <>
              , 99 % within <strong>{Number.isFinite(slow) ? duration(slow) : "more than 30 s"}</strong>
            </>
          )}
        </p>
        <p>
          <strong>{count.format(last.gauges.get("portico_plans") ?? 0)}</strong> cached plans, {hits + misses ? Math.round((100 * hits) / (hits + misses)) : 0} % of requests used one
        </p>
        <Refused requests={last.requests} />
      </div>
    </section>
  );
}

const FACES: Record<string, string> = {
  graphql: "GraphQL",
  rest: "Storage",
  s3: "S3",
  resumable: "Resumable uploads",
  images: "Images",
  health: "Health",
  unknown: "Unknown addresses",
};

function Refused({ requests }: { requests: Reading["requests"] }) {
  const refused = [...requests].filter(([key]) => !/ [23]\d\d$/.test(key));
  if (!refused.length) return <p className="muted small">No request was refused.</p>;
  return (
    <table className="refused small">
      <caption className="muted">Refused or failed requests</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">To</th>
          <th scope="col">Status</th>
          <th scope="col">Number</th>
        </tr>
      </thead>
      <tbody>
        {refused.map(([key, number]) => {
          const [face, status] = key.split(" ") as [string, string];
          return (
            <tr key={key}>
              <th scope="row">{FACES[face] ?? face}</th>
              <td>status {status}</td>
              <td className="mono">{count.format(number)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function About() {
  const { serviceKey } = useSession();
  const details = useLoading(() => ask<ServiceDetails>("service", serviceKey), [serviceKey]);
  return (
    <Loaded from={details} what="settings">
      {(value) => <Settings {...value} />}
    </Loaded>
  );
}

function Settings({ version, database, settings, plugins }: ServiceDetails) {
  const [search, setSearch] = useState("");
  const wanted = search.toLowerCase();
  const found = settings.filter((each) => `${each.name} ${each.help}`.toLowerCase().includes(wanted));
  return (
    <>
      <p className="muted">
        Portico {version}, database <code>{database.name}</code>, PostgreSQL {database.version}
      </p>
      <div className="row">
        <h2 className="grow">Settings</h2>
        <input type="search" aria-label="Search settings" placeholder="Search settings" value={search} onChange={(event) => setSearch(event.target.value)} />
      </div>
      <div className="scroller" tabIndex={0} role="region" aria-label="Settings">
        <table>
          <caption className="visually-hidden">Settings, secrets hidden</caption>
          <thead>
            <tr>
              <th scope="col">Variable</th>
              <th scope="col">Value</th>
              <th scope="col" className="only-wide">
                Description
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((each) => (
              <tr key={each.name}>
                <th scope="row">
                  <code>{each.name}</code>
                </th>
                <td className="setting-value">{each.value ? <code>{each.value}</code> : <span className="muted">not set</span>}</td>
                <td className="muted small only-wide">{each.help}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Plugins</h2>
      <ul className="plugins">
        {plugins.map((each) => (
          <li key={each.name} className="card">
            <div className="row">
              <strong>{each.name}</strong>
              {each.disabled && <span className="badge">disabled</span>}
              {each.problem && <span className="badge bad">failed: {each.problem}</span>}
            </div>
            <p className="small muted">{each.about}</p>
            {!each.from.startsWith("portico ") && <p className="small">{each.from}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}
