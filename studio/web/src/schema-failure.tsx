// What to say where a caller's schema cannot be read.

import type { Failure } from "./http";
import { useCaller } from "./session";
import { FailureNotice, Notice, Sql } from "./ui/parts";

export function SchemaFailure({ failure, again }: { failure: Failure; again: () => void }) {
  const caller = useCaller();
  if (!/introspection|__schema/i.test(failure.message)) return <FailureNotice failure={failure} again={again} />;
  return (
    <Notice tone="warn" title={`${caller.role} may not read its own schema`}>
      <p>Documents run in Explore, but nothing completes them, and Data cannot know the tables. A comment allows introspection:</p>
      <Sql text={`comment on schema public is '@graphql({"introspection": true})';`} what="the comment" />
    </Notice>
  );
}
