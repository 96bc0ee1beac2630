// The notice for a caller whose schema cannot be read.

import type { Failure } from "./http";
import { useCaller } from "./session";
import { FailureNotice, Notice, Sql } from "./ui/parts";

export function SchemaFailure({ failure, again }: { failure: Failure; again: () => void }) {
  const caller = useCaller();
  if (!/introspection|__schema/i.test(failure.message)) return <FailureNotice failure={failure} again={again} />;
  return (
    <Notice tone="warn" title={`${caller.role} may not read its own schema`}>
      <p>Explore can run documents, but without completion, and Data cannot list the tables. This comment allows introspection:</p>
      <Sql text={`comment on schema public is '@graphql({"introspection": true})';`} what="the comment" />
    </Notice>
  );
}
