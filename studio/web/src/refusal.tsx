// Explains a refused request: the operation, and the missing privilege or policy.

import { reasonOf, typedCatalogOf, type Command, type Reason } from "./catalog";
import type { GraphQLError } from "./http";
import { useLoading } from "./loading";
import { addressOf, follow } from "./router";
import { useCaller, useSession } from "./session";
import { Proposal } from "./sql/proposal";
import { Notice } from "./ui/parts";

/** Explains an error: the refused operation, and the missing privilege or policy. */
export function Refusal({ error, query }: { error: GraphQLError; query: string }) {
  const caller = useCaller();
  const { serviceKey } = useSession();
  const why = useLoading<Reason | null>(
    async () => (serviceKey ? reasonOf(error.message, caller.role, query, await typedCatalogOf(serviceKey)) : null),
    [error.message, caller.id],
  );
  return (
    <Notice tone="bad" title={error.message}>
      {why.value && <Why reason={why.value} role={caller.role} />}
      {error.extensions?.hint && <p>{error.extensions.hint}</p>}
      {error.extensions?.code && <code>{error.extensions.code}</code>}
    </Notice>
  );
}

function Why({ reason, role }: { reason: Reason; role: string }) {
  const { relation, command, verdict } = reason;
  const name = `${relation.schema}.${relation.name}`;
  const policies = relation.policies.filter((each) => verdict.policies.includes(each.name));
  return (
    <>
      <p>
        The role <code>{role}</code> requested {command} on <code>{name}</code>. {verdict.why}
      </p>
      {policies.map((each) => (
        <p key={each.name}>
          The policy <strong>{each.name}</strong> allows rows where <code>{(command === "insert" ? each.check : each.using) ?? each.using ?? "true"}</code>
          {command === "update" && each.check && (
            <>
              , and changed rows where <code>{each.check}</code>
            </>
          )}
          .
        </p>
      ))}
      {verdict.fix && <Proposal text={verdict.fix} what="the statement that would allow it" />}
      <p>
        <a href={addressOf("access", [], { table: name, role })} onClick={follow}>
          Access to {relation.name}
        </a>
      </p>
    </>
  );
}

/** Explains a change that affected no row: policies let the caller see the row, but not change it. */
export function Unreached({ type, command }: { type: string; command: Command }) {
  const caller = useCaller();
  const { serviceKey } = useSession();
  const why = useLoading<Reason | null>(async () => {
    if (!serviceKey) return null;
    const { catalog, types } = await typedCatalogOf(serviceKey);
    const relation = catalog.relations.find((each) => types[caller.role]?.[each.oid] === type);
    const verdict = relation?.access[caller.role]?.[command];
    return relation && verdict ? { relation, command, verdict } : null;
  }, [type, command, caller.id]);
  return (
    <Notice tone="bad" title="No row was changed.">
      {why.value ? <Why reason={why.value} role={caller.role} /> : "A policy lets this caller see the row, but not change it; or the row was deleted."}
    </Notice>
  );
}
