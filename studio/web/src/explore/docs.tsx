// The schema as a book: types, their fields and arguments, found by name and followed by click.

import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType, type GraphQLNamedType, type GraphQLSchema, type GraphQLType } from "graphql";
import { useState } from "react";
import { Icon } from "../ui/icons";

const MOST = 200;

export function Docs({ schema, shown, show }: { schema: GraphQLSchema; shown: string[]; show: (trail: string[]) => void }) {
  const [search, setSearch] = useState("");
  const type = shown.length ? schema.getType(shown.at(-1)!) : undefined;
  const into = (name: string) => {
    setSearch("");
    show([...shown, name]);
  };
  return (
    <div className="docs stack">
      <label className="row">
        <span className="visually-hidden">Search types and fields</span>
        <input className="grow" type="search" placeholder="Search types and fields" value={search} onChange={(event) => setSearch(event.target.value)} />
      </label>
      {search ? (
        <Found schema={schema} search={search.toLowerCase()} into={into} />
      ) : type ? (
        <>
          <button className="plain back" onClick={() => show(shown.slice(0, -1))}>
            <Icon name="left" /> {shown.at(-2) ?? "All types"}
          </button>
          <TypePage type={type} into={into} />
        </>
      ) : (
        <Roots schema={schema} into={into} />
      )}
    </div>
  );
}

function Roots({ schema, into }: { schema: GraphQLSchema; into: (name: string) => void }) {
  const roots = [schema.getQueryType(), schema.getMutationType()].filter((each) => !!each);
  const others = Object.values(schema.getTypeMap()).filter((each) => !each.name.startsWith("__") && !roots.includes(each as never));
  return (
    <ul className="side-list">
      {[...roots, ...others].slice(0, MOST).map((each) => (
        <li key={each.name}>
          <button onClick={() => into(each.name)}>
            <code>{each.name}</code>
          </button>
        </li>
      ))}
      {others.length > MOST && <li className="small muted">and {others.length - MOST} more; search for them</li>}
    </ul>
  );
}

function Found({ schema, search, into }: { schema: GraphQLSchema; search: string; into: (name: string) => void }) {
  const found: { type: string; field?: string }[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__")) continue;
    if (type.name.toLowerCase().includes(search)) found.push({ type: type.name });
    for (const name of fieldNames(type)) if (name.toLowerCase().includes(search)) found.push({ type: type.name, field: name });
    if (found.length > MOST) break;
  }
  if (!found.length) return <p className="muted">Nothing is called like that in what this caller sees.</p>;
  return (
    <ul className="side-list">
      {found.slice(0, MOST).map((each) => (
        <li key={`${each.type}.${each.field}`}>
          <button onClick={() => into(each.type)}>
            <code>
              {each.type}
              {each.field && <span className="muted">.{each.field}</span>}
            </code>
          </button>
        </li>
      ))}
    </ul>
  );
}

const fieldNames = (type: GraphQLNamedType) => ("getFields" in type ? Object.keys(type.getFields()) : []);

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
