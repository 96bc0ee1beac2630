// The view Data: each collection as a table, through the public API as the chosen caller.

import { useEffect, useState } from "react";
import { useSchemaChange } from "../changes";
import { useLoading } from "../loading";
import { addressOf, follow, go, usePlace } from "../router";
import { SchemaFailure } from "../schema-failure";
import { schemasOf, useOutline, type Collection } from "../schemas";
import { useCaller, useSession } from "../session";
import { Loaded } from "../ui/loaded";
import { Blank, plural } from "../ui/parts";
import { factsOf } from "./facts";
import { tableOf } from "./model";
import { Rows } from "./rows";
import "../styles/access.css";
import "../styles/data.css";

export default function Data() {
  const outline = useOutline();
  const { rest } = usePlace();
  if (outline.failure && !outline.value) return <div className="padded"><SchemaFailure failure={outline.failure} again={outline.again} /></div>;
  return (
    <Loaded from={outline} what="the tables">
      {({ collections }) => <Tables tables={collections} chosen={rest[0]} />}
    </Loaded>
  );
}

const MOST = 500;

function Tables({ tables, chosen }: { tables: Collection[]; chosen?: string }) {
  const caller = useCaller();
  const [search, setSearch] = useState("");
  useEffect(() => {
    if (!chosen && tables.length) go(addressOf("data", [(tables.find((each) => each.type === "City") ?? tables[0]!).type]), true);
  }, [chosen, tables]);
  if (!tables.length) {
    return (
      <Blank icon="data" title={`${caller.name} sees no tables`}>
        The role {caller.role} has no grants. The view Access shows all grants, and the statements that would change them.
      </Blank>
    );
  }
  const found = tables.filter((each) => each.type.toLowerCase().includes(search.toLowerCase()));
  return (
    <div className="split">
      <aside aria-label="Tables">
        <select className="only-narrow" aria-label="Table" value={chosen} onChange={(event) => go(addressOf("data", [event.target.value]))}>
          {tables.map((each) => (
            <option key={each.type}>{each.type}</option>
          ))}
        </select>
        <div className="only-wide stack">
          {tables.length > 12 && <input type="search" aria-label="Search tables" placeholder={`Search ${plural(tables.length, "table")}`} value={search} onChange={(event) => setSearch(event.target.value)} />}
          <ul className="side-list">
            {found.slice(0, MOST).map((each) => (
              <li key={each.type}>
                <a href={addressOf("data", [each.type])} onClick={follow} aria-current={each.type === chosen ? "page" : undefined}>
                  <span className="ellipsis">{each.type}</span>
                </a>
              </li>
            ))}
          </ul>
          {!found.length && <p className="muted small">No matches.</p>}
          {found.length > MOST && <p className="muted small">and {plural(found.length - MOST, "more table")}; search for them</p>}
        </div>
      </aside>
      <div className="grow">{chosen && <TablePage key={chosen} type={chosen} />}</div>
    </div>
  );
}

function TablePage({ type }: { type: string }) {
  const caller = useCaller();
  const { serviceKey } = useSession();
  const table = useLoading(async () => {
    const [found, facts] = await Promise.all([tableOf(schemasOf(caller), type), factsOf(type, caller, serviceKey)]);
    return found ? { found, facts } : null;
  }, [type, caller.id]);
  useSchemaChange(table.again);
  return (
    <Loaded from={table} what={type}>
      {(value) =>
        value ? (
          <Rows table={value.found} facts={value.facts} />
        ) : (
          <Blank icon="lock" title={`${caller.name} has no access to ${type}`}>
            Choose another caller or another table. A table without a key is not in the API, which identifies rows by their key.
          </Blank>
        )
      }
    </Loaded>
  );
}
