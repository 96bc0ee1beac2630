// The documentation of the schema: types, fields and arguments, with a search and links.

import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType, type GraphQLNamedType, type GraphQLType } from "graphql";
import { useState } from "react";
import { useLoading } from "../loading";
import type { Outline, Schemas } from "../schemas";
import { Icon } from "../ui/icons";
import { FailureNotice, plural, Waiting } from "../ui/parts";

const MOST = 200;

interface Given {
  outline: Outline;
  schemas: Schemas;
  shown: string[];
  show: (trail: string[]) => void;
}

export function Docs({ outline, schemas, shown, show }: Given) {
  const [search, setSearch] = useState("");
  const into = (name: string) => {
    setSearch("");
    show([...shown, name]);
  };
  const type = shown.at(-1);
  return (
    <div className="docs stack">
      <label className="row">
        <span className="visually-hidden">Search types and fields</span>
        <input className="grow" type="search" placeholder="Search types and fields" value={search} onChange={(event) => setSearch(event.target.value)} />
      </label>
      {type && !search && (
        <button className="plain back" onClick={() => show(shown.slice(0, -1))}>
          <Icon name="left" /> {shown.at(-2) ?? "All types"}
        </button>
      )}
      {type && !search ? <OneType key={type} name={type} schemas={schemas} into={into} /> : <Found outline={outline} schemas={schemas} search={search.toLowerCase()} into={into} />}
    </div>
  );
}

/** The roots and all types, or the matches of the search. The many members of types are loaded later. */
function Found({ outline, schemas, search, into }: { outline: Outline; schemas: Schemas; search: string; into: (name: string) => void }) {
  const { value, failure, again } = useLoading(() => schemas.names(), [schemas]);
  const members = useLoading(async () => (search ? schemas.members() : []), [schemas, !search]);
  if (failure) return <FailureNotice failure={failure} again={again} />;
  if (!value) return <Waiting what="the types" />;
  const roots = [outline.roots.queryType.name, outline.roots.mutationType?.name ?? []].flat();
  const types = [...roots, ...value.filter((each) => !roots.includes(each))];
  const found = [
    ...types.filter((each) => each.toLowerCase().includes(search)),
    ...(search ? (members.value ?? []).filter((each) => each.split(".")[1]!.toLowerCase().includes(search)) : []),
  ];
  if (!found.length && !members.isLoading) return <p className="muted">No matches in this caller's schema.</p>;
  return (
    <ul className="side-list">
      {found.slice(0, MOST).map((each) => {
        const [type, member] = each.split(".");
        return (
          <li key={each}>
            <button onClick={() => into(type!)}>
              <code>
                {type}
                {member && <span className="muted">.{member}</span>}
              </code>
            </button>
          </li>
        );
      })}
      {found.length > MOST && <li className="small muted">and {plural(found.length - MOST, "more", "more")}; search for them</li>}
      {members.isLoading && <li className="small muted" role="status">Searching the fields…</li>}
    </ul>
  );
}

function OneType({ name, schemas, into }: { name: string; schemas: Schemas; into: (name: string) => void }) {
  const { value, failure, again } = useLoading(() => schemas.having([name]), [name, schemas]);
  const type = value?.getType(name);
  if (failure) return <FailureNotice failure={failure} again={again} />;
  if (!value) return <Waiting what={name} />;
  return type ? <TypePage type={type} into={into} /> : <p className="muted">This caller does not see {name}.</p>;
}

function TypePage({ type, into }: { type: GraphQLNamedType; into: (name: string) => void }) {
  return (
    <div className="stack">
      <h2>
        <code>{type.name}</code>
      </h2>
      {type.description && <p className="muted">{type.description}</p>}
      {isEnumType(type) && (
        <ul>
          {type.getValues().map((each) => (
            <li key={each.name}>
              <code>{each.name}</code> <span className="muted small">{each.description}</span>
            </li>
          ))}
        </ul>
      )}
      {isUnionType(type) && type.getTypes().map((each) => <TypeLink key={each.name} type={each} into={into} />)}
      {(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) && (
        <dl className="fields">
          {Object.values(type.getFields()).map((each) => (
            <div key={each.name}>
              <dt>
                <code>{each.name}</code>: <TypeLink type={each.type} into={into} />
              </dt>
              {each.description && <dd className="muted small">{each.description}</dd>}
              {"args" in each &&
                each.args.map((argument: { name: string; type: GraphQLType }) => (
                  <dd key={argument.name} className="argument small">
                    <code>{argument.name}</code>: <TypeLink type={argument.type} into={into} />
                  </dd>
                ))}
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function TypeLink({ type, into }: { type: GraphQLType; into: (name: string) => void }) {
  const text = String(type);
  return (
    <button className="link" onClick={() => into(text.replace(/[[\]!]/g, ""))}>
      <code>{text}</code>
    </button>
  );
}
