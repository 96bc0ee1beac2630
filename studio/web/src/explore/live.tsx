// The answers of a live query, the latest first.

import type { Answer } from "../http";
import { Refusal } from "../refusal";
import { Icon } from "../ui/icons";
import { Notice, plural } from "../ui/parts";
import { Editor } from "./editor";

export interface HeardAnswer {
  number: number;
  at: number;
  answer: Answer;
}

export interface Live {
  query: string;
  isOpen: boolean;
  count: number;
  answers: HeardAnswer[];
}

/** The number of answers that the page keeps. */
export const KEPT = 20;

export function LiveAnswers({ live, stop }: { live: Live; stop: () => void }) {
  const [latest, ...earlier] = live.answers;
  return (
    <div className="stack">
      <div className="row">
        <span className={`badge ${live.isOpen ? "good" : ""}`}>{live.isOpen ? "live" : "ended"}</span>
        <span className="small muted" role="status">
          {plural(live.count, "answer")}
          {latest && `, the last at ${new Date(latest.at).toLocaleTimeString()}`}
        </span>
        <span className="grow" />
        {live.isOpen && (
          <button onClick={stop}>
            <Icon name="close" /> Stop
          </button>
        )}
      </div>
      {!latest && live.isOpen && <p className="muted">Waiting for the first answer.</p>}
      {latest && <OneAnswer key={latest.number} heard={latest} query={live.query} label="Latest answer" />}
      {earlier.map((each) => (
        <details key={each.number} className="card">
          <summary>
            Answer {each.number}, {new Date(each.at).toLocaleTimeString()}
          </summary>
          <OneAnswer heard={each} query={live.query} label={`Answer ${each.number}`} />
        </details>
      ))}
      {live.count > KEPT && <Notice tone="info">{`Only the last ${KEPT} answers are kept.`}</Notice>}
    </div>
  );
}

const LONGEST = 100_000;

function OneAnswer({ heard, query, label }: { heard: HeardAnswer; query: string; label: string }) {
  const text = JSON.stringify(heard.answer, null, 2);
  return (
    <div className="stack">
      {heard.answer.errors?.map((each, index) => <Refusal key={index} error={each} query={query} />)}
      <Editor label={label} text={text.slice(0, LONGEST)} language="json" />
    </div>
  );
}
