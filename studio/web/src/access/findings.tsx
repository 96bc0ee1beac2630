// What `portico doctor` warns of, on top: asked apart, since it examines the whole service.

import { ask } from "../http";
import { useLoading } from "../loading";
import { useSession } from "../session";
import { plural } from "../ui/parts";
import { Icon } from "../ui/icons";

interface Finding {
  mark: "WRONG" | "note";
  what: string;
  fix: string;
}

let known: { key: string; asked: Promise<{ findings: Finding[] }> } | null = null;

/** Asked once as long as the page is open: the doctor builds the schema of each role anew. */
function findingsOf(key: string) {
  if (known?.key !== key) {
    const asked = ask<{ findings: Finding[] }>("findings", key);
    known = { key, asked };
    asked.catch(() => (known = null));
  }
  return known!.asked;
}

export function forgetFindings() {
  known = null;
}

export function Findings() {
  const { serviceKey } = useSession();
  const { value, failure, isLoading } = useLoading(() => findingsOf(serviceKey), [serviceKey]);
  if (failure) return null;
  if (isLoading || !value) return <p className="small muted" role="status">Examining what should be closed…</p>;
  const wrong = value.findings.filter((each) => each.mark === "WRONG").length;
  if (!value.findings.length) return <p className="notice tone-good">The doctor has nothing to say.</p>;
  return (
    <details className={`notice ${wrong ? "tone-bad" : "tone-warn"} findings`}>
      <summary>
        <Icon name="warn" /> The doctor has {plural(value.findings.length, "finding")}
        {wrong > 0 && `, ${wrong} of them to be put right`}
      </summary>
      <ul className="stack">
        {value.findings.map((each) => (
          <li key={each.what}>
            <span className={`badge ${each.mark === "WRONG" ? "bad" : "warn"}`}>{each.mark === "WRONG" ? "wrong" : "note"}</span> <span className="what">{each.what}</span>
            {each.fix && (
              <div className="row small">
                <span className="muted">{each.fix}</span>
              </div>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
