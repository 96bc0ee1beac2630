// The findings of `portico doctor`, above the table. They are requested separately, since the doctor examines the complete
// service.

import { onSchemaChange } from "../changes";
import { ask } from "../http";
import { useLoading } from "../loading";
import { useSession } from "../session";
import { Proposal } from "../sql/proposal";
import { plural } from "../ui/parts";
import { Icon } from "../ui/icons";

interface Finding {
  mark: "WRONG" | "note";
  what: string;
  fix: string;
}

let known: { key: string; pending: Promise<{ findings: Finding[] }> } | null = null;

/** Requested once while the page is open, since the doctor builds the schema of each role. */
function findingsOf(key: string) {
  if (known?.key !== key) {
    const pending = ask<{ findings: Finding[] }>("findings", key);
    known = { key, pending };
    pending.catch(() => (known = null));
  }
  return known!.pending;
}

export function forgetFindings() {
  known = null;
}

onSchemaChange(forgetFindings);

const STATEMENT = /^(?:as a superuser: )?((?:create index|grant|revoke|alter role|alter table) [^<>;]*)$/;
const CHOICE = /, or |, and from /;

/** The statement that a remedy consists of; none if it has a choice, or a place to fill in. */
function statementIn(fix: string): string | undefined {
  return CHOICE.test(fix) ? undefined : STATEMENT.exec(fix)?.[1];
}

export function Findings() {
  const { serviceKey } = useSession();
  const { value, failure, isLoading } = useLoading(() => findingsOf(serviceKey), [serviceKey]);
  if (failure) return null;
  if (isLoading || !value) return <p className="small muted" role="status">Running portico doctor…</p>;
  const wrong = value.findings.filter((each) => each.mark === "WRONG").length;
  const notes = value.findings.length - wrong;
  if (!value.findings.length) return <p className="notice tone-good">portico doctor has no findings.</p>;
  return (
    <details className={`notice ${wrong ? "tone-bad" : "tone-info"} findings`}>
      <summary>
        <Icon name={wrong ? "warn" : "book"} /> portico doctor has{" "}
        {[wrong && `${plural(wrong, "finding")} that must be fixed`, notes && plural(notes, "note")].filter(Boolean).join(" and ")}
      </summary>
      <ul className="stack">
        {value.findings.map((each) => (
          <li key={each.what}>
            <span className={`badge ${each.mark === "WRONG" ? "bad" : "info"}`}>{each.mark === "WRONG" ? "wrong" : "note"}</span> <span className="what">{each.what}</span>
            {each.fix && statementIn(each.fix) ? (
              <Proposal text={`${statementIn(each.fix)};`} />
            ) : each.fix && (
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
