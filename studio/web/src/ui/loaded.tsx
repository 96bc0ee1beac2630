// Draws a value that is being loaded: a waiting message, a failure with a button to retry, or the value.

import type { ReactNode } from "react";
import type { Loading } from "../loading";
import { FailureNotice, Waiting } from "./parts";

interface Given<Value> {
  from: Loading<Value>;
  what: string;
  children: (value: Value) => ReactNode;
}

/** A value stays visible while it is loaded again. While the service does not answer, a notice above it says so. */
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
