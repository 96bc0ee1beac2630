// The list of uploads with their progress.

import { Icon } from "../ui/icons";
import { bytes, plural } from "../ui/parts";
import type { Queue } from "./queue";

const MOST = 40;

export function Uploads({ queue }: { queue: Queue }) {
  const { uploads } = queue;
  if (!uploads.length) return null;
  const of = (state: string) => uploads.filter((each) => each.state === state);
  const [done, failed] = [of("done"), of("failed")];
  const left = uploads.length - done.length - failed.length;
  const all = uploads.reduce((sum, each) => sum + each.file.size, 0);
  const sent = uploads.reduce((sum, each) => sum + each.sent, 0);
  const shown = [...failed, ...of("running"), ...of("paused"), ...of("waiting")].slice(0, MOST);
  return (
    <section className="card stack" aria-label="Uploads">
      <div className="row">
        <strong role="status" className="grow">
          {left ? `Uploading ${plural(left, "file")}` : `${plural(done.length, "file")} uploaded`}
          {failed.length > 0 && `, ${failed.length} refused`}
        </strong>
        <span className="small muted">
          {bytes(sent)} of {bytes(all)}
        </span>
        {!left && (
          <button className="plain" onClick={queue.clear}>
            Close
          </button>
        )}
      </div>
      <progress max={all || 1} value={sent} aria-label="All uploads" />
      <ul className="stack uploads">
        {shown.map((each) => (
          <li key={each.id} className="row">
            <span className="grow ellipsis">
              <bdi>{each.key}</bdi>
            </span>
            {each.state === "failed" ? (
              <>
                <button className="plain" onClick={() => queue.again(each.id)}>
                  <Icon name="again" /> Retry
                </button>
                <div className="notice tone-bad small">
                  <strong>{each.problem?.message}</strong>
                  {each.problem?.hint && <p>{each.problem.hint}</p>}
                </div>
              </>
            ) : (
              <>
                <span className="small muted">{each.state === "waiting" ? "waiting" : `${Math.round((100 * each.sent) / (each.file.size || 1))} %`}</span>
                {each.canPause && each.state === "running" && <button onClick={() => queue.pause(each.id)}>Pause</button>}
                {each.state === "paused" && <button onClick={() => queue.resume(each.id)}>Resume</button>}
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
