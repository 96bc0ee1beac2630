// The outcome of SQL: the failure with its place, the server's messages, and each result.

import { shownValue } from "../data/values";
import { count, Notice, plural } from "../ui/parts";
import { offsetOf, placeOf, type SqlFailure, type SqlOutcome, type SqlResult } from "./running";

export function OutcomeOf({ outcome, text }: { outcome: SqlOutcome; text: string }) {
  const { results, notices, failure, was_open } = outcome;
  return (
    <div className="stack">
      {failure && <FailureOf failure={failure} text={text} />}
      {was_open && <Notice tone="warn">A transaction was still open at the end, so it was rolled back. Each run is a session of its own.</Notice>}
      {notices.length > 0 && (
        <ul className="notice tone-info mono" aria-label="Messages">
          {notices.map((each, index) => (
            <li key={index}>{each}</li>
          ))}
        </ul>
      )}
      {results.map((each, index) => (
        <ResultOf key={index} result={each} limit={outcome.rowLimit} />
      ))}
      {!failure && !results.length && <p className="muted">The text has no statement.</p>}
    </div>
  );
}

export function FailureOf({ failure, text }: { failure: SqlFailure; text: string }) {
  const { diagnosis, position } = failure;
  const place = position === null ? null : placeOf(text, offsetOf(text, position));
  return (
    <Notice tone="bad" title={diagnosis.message}>
      {place && (
        <>
          <p>
            Line {place.line}, column {place.column}
          </p>
          <pre className="place">
            {text.split("\n")[place.line - 1]}
            {"\n"}
            {" ".repeat(place.column - 1)}^
          </pre>
        </>
      )}
      {diagnosis.detail && <p>{diagnosis.detail}</p>}
      {diagnosis.hint && <p>{diagnosis.hint}</p>}
      {diagnosis.where && <p className="small">{diagnosis.where}</p>}
      <code>{diagnosis.sqlstate}</code>
    </Notice>
  );
}

function ResultOf({ result, limit }: { result: SqlResult; limit: number }) {
  const { tag, columns, rows, is_partial } = result;
  if (!columns) {
    return (
      <p>
        <code>{tag}</code>
      </p>
    );
  }
  const total = Number(/\d+$/.exec(tag)?.[0] ?? rows.length);
  return (
    <section className="stack" aria-label={tag}>
      <p className="small muted">
        {is_partial ? `The first ${plural(rows.length, "row")} of ${count.format(total)}: a result has at most ${count.format(limit)}, and a run 4 MB.` : plural(rows.length, "row")}
      </p>
      {rows.length > 0 && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Result">
          <table className="found">
            <thead>
              <tr>
                {columns.map((each, index) => (
                  <th key={index} scope="col">
                    {each}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, number) => (
                <tr key={number}>
                  {row.map((value, index) => (
                    <td key={index}>{value === null ? <span className="null">null</span> : <bdi title={value.length > 40 ? shownValue(value) : undefined}>{shownValue(value)}</bdi>}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
