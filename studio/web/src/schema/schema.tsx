// The view Schema: a diagram of the database, and a page for each table.

import { useDeferredValue, useMemo, useState } from "react";
import { KINDS, useCatalog, type Catalog, type Relation } from "../catalog";
import { addressOf, follow, go, usePlace } from "../router";
import { useSession } from "../session";
import { NewTable } from "../sql/new-table";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { Blank, count, plural } from "../ui/parts";
import { Diagram } from "./diagram";
import { RelationPage } from "./relation";
import "../styles/access.css";
import "../styles/schema.css";

const AT_ONCE = 400;
/** A larger diagram is not readable, and takes a browser minutes to lay out. */
const MOST_DRAWN = 100;

export default function SchemaView() {
  return (
    <Loaded from={useCatalog()} what="the catalog">
      {(catalog) => <Relations catalog={catalog} />}
    </Loaded>
  );
}

function Relations({ catalog }: { catalog: Catalog }) {
  const { rest } = usePlace();
  const { session } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const found = useMemo(() => catalog.relations.filter((each) => isFound(each, wanted)), [catalog, wanted]);
  const oids = useMemo(() => (wanted ? new Set(found.map((each) => each.oid)) : null), [found, wanted]);
  const drawn = useMemo(() => drawnOf(catalog.relations, wanted ? found : null), [catalog, found, wanted]);
  const chosen = catalog.relations.find((each) => `${each.schema}.${each.name}` === rest[0]);
  if (!catalog.relations.length) {
    return (
      <>
        <Blank icon="schema" title="No table is in the API's schemas">
          <p>API_SCHEMAS names the schemas. Create a table there, and it appears here.</p>
          {session?.canRunSql && <button onClick={() => setCreating(true)}>New table</button>}
        </Blank>
        {isCreating && <NewTable close={() => setCreating(false)} />}
      </>
    );
  }
  return (
    <div className="split">
      <aside aria-label="Tables" className="stack">
        {session?.canRunSql && (
          <button onClick={() => setCreating(true)}>
            <Icon name="plus" /> New table
          </button>
        )}
        <input type="search" aria-label="Search tables and columns" placeholder="Search" value={search} onChange={(event) => setSearch(event.target.value)} />
        <select
          className="only-narrow"
          aria-label="Table"
          value={chosen ? `${chosen.schema}.${chosen.name}` : ""}
          onChange={(event) => go(addressOf("schema", event.target.value ? [event.target.value] : []))}
        >
          <option value="">Diagram</option>
          {(!chosen || found.includes(chosen) ? found : [chosen, ...found]).map((each) => (
            <option key={each.oid}>{`${each.schema}.${each.name}`}</option>
          ))}
        </select>
        <div className="only-wide stack">
          <ul className="side-list">
            <li>
              <a href={addressOf("schema")} onClick={follow} aria-current={chosen ? undefined : "page"}>
                <Icon name="schema" /> Diagram
              </a>
            </li>
            {found.slice(0, AT_ONCE).map((each) => (
              <li key={each.oid}>
                <a href={addressOf("schema", [`${each.schema}.${each.name}`])} onClick={follow} aria-current={each === chosen ? "page" : undefined} title={KINDS[each.kind]}>
                  <span className="ellipsis grow">{each.name}</span>
                  {each.rowSecurity && <Icon name="lock" />}
                </a>
              </li>
            ))}
          </ul>
          {!found.length && <p className="muted small">No matches.</p>}
          {found.length > AT_ONCE && <p className="muted small">and {plural(found.length - AT_ONCE, "more table")}; search for them</p>}
        </div>
      </aside>
      <div className="grow">
        {chosen ? (
          <RelationPage key={chosen.oid} relation={chosen} catalog={catalog} />
        ) : rest[0] ? (
          <Blank icon="search" title={`There is no table ${rest[0]}`}>It may have been renamed, or it is in a schema that the API leaves out.</Blank>
        ) : (
          <>
            {drawn.length < catalog.relations.length && (
              <p className="part small" role="status">
                {wanted ? `Showing ${plural(drawn.length, "table")} whose name or columns match` : `Showing the ${drawn.length} tables with the most relationships to each other`}, of {count.format(catalog.relations.length)}. Search to show others.
              </p>
            )}
            {drawn.length > 0 && <Diagram relations={drawn} found={oids} />}
          </>
        )}
      </div>
      {isCreating && <NewTable close={() => setCreating(false)} />}
    </div>
  );
}

function drawnOf(relations: Relation[], found: Relation[] | null): Relation[] {
  if (relations.length <= MOST_DRAWN) return relations;
  return found ? found.slice(0, MOST_DRAWN) : mostRelated(relations, MOST_DRAWN);
}

/** First the table with most relationships, then repeatedly the one with most relationships to the chosen tables, so that
 * the diagram has lines. */
function mostRelated(relations: Relation[], most: number): Relation[] {
  const related = new Map<number, number[]>(relations.map((each) => [each.oid, []]));
  for (const { oid, keys } of relations) {
    for (const { to } of keys) {
      if (to === null || to === oid || !related.has(to)) continue;
      related.get(oid)!.push(to);
      related.get(to)!.push(oid);
    }
  }
  const left = relations.toSorted((a, b) => related.get(b.oid)!.length - related.get(a.oid)!.length);
  const toChosen = new Map<number, number>(relations.map((each) => [each.oid, 0]));
  const chosen: Relation[] = [];
  while (chosen.length < most) {
    const next = left.reduce((best, each) => (toChosen.get(each.oid)! > toChosen.get(best.oid)! ? each : best));
    left.splice(left.indexOf(next), 1);
    chosen.push(next);
    for (const oid of related.get(next.oid)!) toChosen.set(oid, toChosen.get(oid)! + 1);
  }
  return chosen;
}

function isFound(relation: Relation, wanted: string): boolean {
  return !wanted || relation.name.toLowerCase().includes(wanted) || relation.columns.some((each) => each.name.toLowerCase().includes(wanted));
}
