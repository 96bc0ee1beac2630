// The slowest recent operations, without their values, with the time of each stage.

import { showInExplore } from "../explore/kept";
import { ask } from "../http";
import { useLoading } from "../loading";
import { addressOf, go } from "../router";
import { useSession } from "../session";
import { Loaded } from "../ui/loaded";
import { duration, Sql } from "../ui/parts";

interface SlowOperation {
  key: string;
  name: string;
  kind: string;
  role: string;
  codes: string[];
  milliseconds: number;
  stages: Record<string, number>;
  document: string;
  at: number;
}

export function SlowOperations() {
  const { serviceKey } = useSession();
  const slow = useLoading(() => ask<{ operations: SlowOperation[] }>("slow", serviceKey), [serviceKey]);
  return (
    <section className="stack" aria-label="Slow operations">
      <div className="row">
        <h2 className="grow">Slow operations</h2>
        <button onClick={slow.again}>Refresh</button>
      </div>
      <Loaded from={slow} what="slow operations">
        {({ operations }) =>
          operations.length ? (
            <ul className="stack">
              {operations.map((each) => (
                <li key={`${each.key} ${each.role}`}>
                  <Operation slow={each} />
                </li>
              ))}
            </ul>
          ) : (
            <p className="muted">
              None. Operations that take at least <code>SLOW_OPERATION_MS</code> milliseconds are listed here for a day.
            </p>
          )
        }
      </Loaded>
    </section>
  );
}

function Operation({ slow }: { slow: SlowOperation }) {
  const stages = Object.entries(slow.stages).sort(([, a], [, b]) => b - a);
  return (
    <details className="card">
      <summary>
        <strong className="mono">{duration(slow.milliseconds)}</strong> <span>{slow.name || `unnamed ${slow.kind || "request"}`}</span>{" "}
        <span className="small muted">
          as <code>{slow.role || "no role"}</code>, {new Date(1000 * slow.at).toLocaleString()}
        </span>{" "}
        {slow.codes.map((each) => (
          <span key={each} className="badge bad">
            {each}
          </span>
        ))}
      </summary>
      <div className="stack">
        <p className="small">{stages.map(([name, milliseconds]) => `${name} ${duration(milliseconds)}`).join(", ")}</p>
        {slow.document ? (
          <>
            <Sql text={slow.document} what="the document" />
            <div className="row">
              <button
                onClick={() => {
                  showInExplore(slow.document);
                  go(addressOf("explore"));
                }}
              >
                Open in Explore
              </button>
              <span className="small muted">Its values were not recorded.</span>
            </div>
          </>
        ) : (
          <p className="muted">Its document is invalid and was not recorded.</p>
        )}
      </div>
    </details>
  );
}
