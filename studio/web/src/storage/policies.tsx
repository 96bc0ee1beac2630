// The policies on storage.objects that apply to the chosen caller.

import { useState } from "react";
import { PolicyCard } from "../access/policy";
import { COMMANDS, type Catalog } from "../catalog";
import { ask } from "../http";
import { useLoading } from "../loading";
import { useCaller, useSession } from "../session";
import { Proposal } from "../sql/proposal";
import { Icon } from "../ui/icons";
import { Dialog, FailureNotice, Waiting } from "../ui/parts";

export function Policies() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>
        <Icon name="access" /> Policies
      </button>
      {open && <PoliciesDialog close={() => setOpen(false)} />}
    </>
  );
}

const WORDS = { select: "see and download", insert: "upload", update: "replace, move and rename", delete: "delete" };

function PoliciesDialog({ close }: { close: () => void }) {
  const caller = useCaller();
  const { serviceKey } = useSession();
  const found = useLoading(() => ask<Catalog>("catalog?of=storage", serviceKey), [serviceKey]);
  const objects = found.value?.relations.find((each) => each.name === "objects");
  const access = objects?.access[caller.role];
  return (
    <Dialog title={`Access of ${caller.role} to objects`} close={close} side>
      {found.failure && <FailureNotice failure={found.failure} again={found.again} />}
      {!found.value && found.isLoading && <Waiting what="policies" />}
      {found.value && !access && <p className="muted">The database does not have the storage's tables, or this role.</p>}
      {objects &&
        access &&
        COMMANDS.map((each) => (
          <section key={each} className="stack">
            <h3 className="row">
              <span className={`cell ${access[each].rows}`}>{each[0]!.toUpperCase()}</span> {WORDS[each]}
            </h3>
            <p>{access[each].why}</p>
            {objects.policies
              .filter((policy) => access[each].policies.includes(policy.name))
              .map((policy) => (
                <PolicyCard key={policy.name} policy={policy} />
              ))}
            {access[each].rows === "none" && access[each].fix && <Proposal text={access[each].fix} what="the statement that would allow it" done={found.again} />}
          </section>
        ))}
    </Dialog>
  );
}
