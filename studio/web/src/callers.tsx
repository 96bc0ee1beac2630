// The caller switch: anonymous, the service role, a pasted token, or a test user.

import { useId, useState } from "react";
import { ask, Failure } from "./http";
import { claimsOf, useSession, type Caller } from "./session";
import { Icon } from "./ui/icons";
import { Dialog, FailureNotice, Notice, Panel, Tabs } from "./ui/parts";

export function CallerSwitch() {
  const { caller } = useSession();
  const [open, setOpen] = useState(false);
  if (!caller) return null;
  return (
    <>
      <button className="caller" onClick={() => setOpen(true)} title="Choose the caller">
        <span className={`who ${caller.kind}`} aria-hidden="true">
          {caller.name[0]}
        </span>
        <span className="ellipsis">
          <span className="visually-hidden">Caller: </span>
          {caller.name}
        </span>
      </button>
      {open && <Callers close={() => setOpen(false)} />}
    </>
  );
}

function Callers({ close }: { close: () => void }) {
  const { callers, caller, choose, remove, session } = useSession();
  const [how, setHow] = useState(session?.canSign ? "made-up" : "token");
  const tabs = [
    ...(session?.canSign ? [{ id: "made-up", label: "Add a test user" }] : []),
    { id: "token", label: "Paste a token" },
    { id: "keys", label: "Keys" },
  ];
  return (
    <Dialog title="Choose the caller" close={close}>
      <p className="muted">All requests of this page run as this caller, under its grants and policies.</p>
      <ul className="callers stack">
        {callers.map((each) => (
          <li key={each.id}>
            <button
              aria-pressed={each.id === caller?.id}
              onClick={() => {
                choose(each.id);
                close();
              }}
            >
              <span className={`who ${each.kind}`} aria-hidden="true">
                {each.name[0]}
              </span>
              <span className="ellipsis">{each.name}</span>
              <code className="muted">{each.role}</code>
            </button>
            {(each.kind === "token" || each.kind === "made-up") && (
              <button className="plain" aria-label={`Forget ${each.name}`} onClick={() => remove(each.id)}>
                <Icon name="bin" />
              </button>
            )}
          </li>
        ))}
      </ul>
      <Tabs name="add-caller" label="Add a caller" tabs={tabs} chosen={how} choose={setHow} />
      <Panel name="add-caller" chosen={how}>
        {how === "made-up" && <MadeUp close={close} />}
        {how === "token" && <Pasted close={close} />}
        {how === "keys" && <KeyForm />}
      </Panel>
    </Dialog>
  );
}

const EXAMPLES = [
  { name: "Ada", sub: "aaaaaaaa-0000-4000-8000-000000000001" },
  { name: "Ben", sub: "bbbbbbbb-0000-4000-8000-000000000002" },
];

function MadeUp({ close }: { close: () => void }) {
  const { session, add, anonKey } = useSession();
  const [name, setName] = useState("Ada");
  const [role, setRole] = useState("authenticated");
  const [claims, setClaims] = useState(JSON.stringify({ sub: EXAMPLES[0]!.sub, email: "ada@example.com" }, null, 2));
  const [failure, setFailure] = useState<Failure | null>(null);
  const roles = useId();
  const make = async (event: React.FormEvent) => {
    event.preventDefault();
    try {
      const given = JSON.parse(claims || "{}");
      const made = await ask<{ token: string; claims: Caller["claims"] }>("tokens", undefined, { role, claims: given });
      add({ id: `made-up ${name} ${role}`, name, role, kind: "made-up", apiKey: anonKey, token: made.token, claims: made.claims });
      close();
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure("The claims must be a JSON object."));
    }
  };
  return (
    <form className="stack" onSubmit={make}>
      <div className="row">
        <label className="field grow">
          <span>Name, shown only here</span>
          <input value={name} required onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field grow">
          <span>Role</span>
          <input value={role} required list={roles} onChange={(event) => setRole(event.target.value)} />
          <datalist id={roles}>
            {session?.roles.map((each) => <option key={each} value={each} />)}
          </datalist>
        </label>
      </div>
      <label className="field">
        <span>Claims, which policies read with auth.uid() and auth.jwt()</span>
        <textarea rows={5} value={claims} spellCheck={false} onChange={(event) => setClaims(event.target.value)} />
      </label>
      <div className="row">
        <span className="small muted">Demo users:</span>
        {EXAMPLES.map((each) => (
          <button
            key={each.name}
            type="button"
            className="plain small"
            onClick={() => {
              setName(each.name);
              setClaims(JSON.stringify({ sub: each.sub, email: `${each.name.toLowerCase()}@example.com` }, null, 2));
            }}
          >
            {each.name}
          </button>
        ))}
        <span className="grow" />
        <button className="primary">Use this user</button>
      </div>
      {failure && <FailureNotice failure={failure} />}
    </form>
  );
}

function Pasted({ close }: { close: () => void }) {
  const { add, anonKey } = useSession();
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState<Failure | null>(null);
  const paste = (event: React.FormEvent) => {
    event.preventDefault();
    try {
      const claims = claimsOf(token.trim());
      const name = String(claims["email"] ?? claims["sub"] ?? claims["role"] ?? "Token");
      const role = String(claims["role"] ?? "authenticated");
      add({ id: `token ${token.slice(-16)}`, name, role, kind: "token", apiKey: anonKey || token.trim(), token: token.trim(), claims });
      close();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <form className="stack" onSubmit={paste}>
      <label className="field">
        <span>User token</span>
        <textarea rows={4} required value={token} spellCheck={false} onChange={(event) => setToken(event.target.value)} />
        <small>It is stored only in this tab, until the tab is closed.</small>
      </label>
      {failure && <FailureNotice failure={failure} />}
      <div className="row">
        <button className="primary">Use this token</button>
      </div>
    </form>
  );
}

/** A form for the service's keys. Only a development service sends them to the page. */
export function KeyForm() {
  const { session, anonKey, serviceKey, giveKey } = useSession();
  const [anon, setAnon] = useState(session?.keys ? "" : anonKey);
  const [service, setService] = useState(session?.keys ? "" : serviceKey);
  if (session?.keys) return <Notice tone="info">This development service gave the page its keys.</Notice>;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        giveKey("anonKey", anon);
        giveKey("serviceKey", service);
      }}
    >
      <label className="field">
        <span>Anonymous key (ANON_KEY)</span>
        <input type="password" autoComplete="off" value={anon} onChange={(event) => setAnon(event.target.value)} />
      </label>
      <label className="field">
        <span>Service role key (SERVICE_ROLE_KEY)</span>
        <input type="password" autoComplete="off" value={service} onChange={(event) => setService(event.target.value)} />
        <small>Schema, Access and Service need it. Keys are stored only in this tab, until the tab is closed.</small>
      </label>
      <div className="row">
        <button className="primary">Use these keys</button>
      </div>
    </form>
  );
}
