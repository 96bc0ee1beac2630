// The policies on storage.objects, and on storage.versions, that apply to the chosen caller.

import { useState } from "react";
import { PolicyCard } from "../access/policy";
import { COMMANDS, type Catalog, type Command, type Relation } from "../catalog";
import { ask } from "../http";
import { useLoading } from "../loading";
import { useCaller, useSession } from "../session";
import { Proposal } from "../sql/proposal";
import { Icon } from "../ui/icons";
import { Dialog, FailureNotice, Waiting } from "../ui/parts";

export function Policies({ withVersions }: { withVersions: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>
        <Icon name="access" /> Policies
      </button>
      {open && <PoliciesDialog withVersions={withVersions} close={() => setOpen(false)} />}
    </>
  );
}

type Effects = Partial<Record<Command, string>>;
const OBJECTS: Effects = { select: "see and download", insert: "upload", update: "replace, move and rename", delete: "delete" };
const VERSIONS: Effects = { select: "see, download and restore older versions, and see the trash", delete: "undelete, and delete older versions for good" };

function PoliciesDialog({ withVersions, close }: { withVersions: boolean; close: () => void }) {
  const caller = useCaller();
  const { serviceKey } = useSession();
  const found = useLoading(() => ask<Catalog>("catalog?of=storage", serviceKey), [serviceKey]);
  const table = (name: string) => found.value?.relations.find((each) => each.name === name && each.access[caller.role]);
  const [objects, versions] = [table("objects"), table("versions")];
  return (
    <Dialog title={`Access of ${caller.role} to objects`} close={close} side>
      {found.failure && <FailureNotice failure={found.failure} again={found.again} />}
      {!found.value && found.isLoading && <Waiting what="policies" />}
      {found.value && !objects && <p className="muted">The database does not have the storage's tables, or this role.</p>}
      {objects && <Verdicts relation={objects} role={caller.role} effects={OBJECTS} again={found.again} />}
      {withVersions && versions && <Verdicts relation={versions} role={caller.role} effects={VERSIONS} again={found.again} />}
    </Dialog>
  );
}

function Verdicts({ relation, role, effects, again }: { relation: Relation; role: string; effects: Effects; again: () => void }) {
  const access = relation.access[role]!;
  return COMMANDS.filter((each) => effects[each]).map((each) => (
    <section key={each} className="stack">
      <h3 className="row">
        <span className={`cell ${access[each].rows}`}>{each[0]!.toUpperCase()}</span> {effects[each]}
      </h3>
      <p>{access[each].why}</p>
      {relation.policies
        .filter((policy) => access[each].policies.includes(policy.name))
        .map((policy) => (
          <PolicyCard key={policy.name} policy={policy} />
        ))}
      {access[each].rows === "none" && access[each].fix && <Proposal text={access[each].fix} what="the statement that would allow it" done={again} />}
    </section>
  ));
}
