// What is drawn of something that is asked for: the wait, the failure with another try, or the thing itself.

import type { ReactNode } from "react";
import type { Loading } from "../loading";
import { FailureNotice, Waiting } from "./parts";

interface Given<Value> {
  from: Loading<Value>;
  what: string;
  children: (value: Value) => ReactNode;
}

/** A value stays in sight while it is asked for again, and while the service is away, which is said on top. */
export function Loaded<Value>({ from, what, children }: Given<Value>) {
  const { value, failure, again } = from;
  return (
    <>
      {failure && (
        <div className="padded">
          <FailureNotice failure={failure} again={again} />
        </div>
      )}
      {value !== undefined ? children(value) : !failure && <Waiting what={what} />}
    </>
  );
}
