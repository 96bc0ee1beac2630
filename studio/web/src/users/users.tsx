// The view Users: the users of sign-in for development. It adds some, sets passwords, and makes a user the caller.

import { useState } from "react";
import { ask, Failure } from "../http";
import { useLoading } from "../loading";
import { useSession, type Caller } from "../session";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { Blank, FailureNotice, Notice, plural } from "../ui/parts";
import { call, claimsOf, isBanned, PAGE_SIZE, type User, type UserPage } from "./api";
import { Deletion, NewUser, Password } from "./dialogs";
import "../styles/access.css";
import "../styles/users.css";

type Open = { kind: "new" } | { kind: "password" | "deletion"; user: User } | null;

export default function Users() {
  const { serviceKey } = useSession();
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<Open>(null);
  const [message, setMessage] = useState("");
  const found = useLoading((signal) => call<UserPage>(serviceKey, "GET", `?page=${page}&per_page=${PAGE_SIZE}`, undefined, signal), [serviceKey, page]);
  const close = () => setOpen(null);
  const done = (text: string) => {
    close();
    setMessage(text);
    found.again();
  };
  return (
    <div className="padded">
      <Notice tone="warn">Sign-in is for development only: addresses are not verified, and no mail is sent.</Notice>
      <div className="row">
        <p className="grow" role="status">
          {message}
        </p>
        <button className="primary" onClick={() => setOpen({ kind: "new" })}>
          <Icon name="plus" /> New user
        </button>
      </div>
      <Loaded from={found} what="users">
        {({ users, total }) =>
          total ? (
            <>
              <UserTable users={users} open={setOpen} say={setMessage} />
              <Pages page={page} total={total} choose={setPage} />
            </>
          ) : (
            <Blank icon="users" title="No users yet">
              Create one with “New user”, or sign up in your app with supabase.auth.signUp.
            </Blank>
          )
        }
      </Loaded>
      {open?.kind === "new" && <NewUser close={close} done={done} />}
      {open?.kind === "password" && <Password user={open.user} close={close} done={done} />}
      {open?.kind === "deletion" && <Deletion user={open.user} close={close} done={done} />}
    </div>
  );
}

function UserTable({ users, open, say }: { users: User[]; open: (how: Open) => void; say: (message: string) => void }) {
  const { caller, add, anonKey } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const signIn = async (user: User) => {
    setFailure(null);
    try {
      const made = await ask<{ token: string; claims: Caller["claims"] }>("tokens", undefined, { role: user.role, claims: claimsOf(user) });
      add({ id: idOf(user), name: user.email || user.id, role: user.role, kind: "made-up", apiKey: anonKey, token: made.token, claims: made.claims });
      say(`All views now send requests as ${user.email || user.id}.`);
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(String(error)));
    }
  };
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      <div className="scroller" tabIndex={0} role="region" aria-label="Users">
        <table className="users">
          <caption className="visually-hidden">Users of sign-in for development</caption>
          <thead>
            <tr>
              <th scope="col">User</th>
              <th scope="col" className="only-wide">
                Created
              </th>
              <th scope="col" className="only-wide">
                Last sign-in
              </th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {users.map((each) => (
              <tr key={each.id}>
                <th scope="row">
                  {each.email || "no e-mail"} <States user={each} isCaller={caller?.id === idOf(each)} />
                  <code className="muted small">{each.id}</code>
                </th>
                <td className="small only-wide">{timeOf(each.created_at)}</td>
                <td className="small only-wide">{each.last_sign_in_at ? timeOf(each.last_sign_in_at) : <span className="muted">never</span>}</td>
                <td>
                  <div className="actions">
                    <button aria-label={`Sign in as ${each.email}`} onClick={() => void signIn(each)}>
                      Sign in as
                    </button>
                    <button aria-label={`Set the password of ${each.email}`} onClick={() => open({ kind: "password", user: each })}>
                      <Icon name="key" /> <span className="only-wide">Password</span>
                    </button>
                    <button className="plain" aria-label={`Delete ${each.email}`} onClick={() => open({ kind: "deletion", user: each })}>
                      <Icon name="bin" />
                    </button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function States({ user, isCaller }: { user: User; isCaller: boolean }) {
  return (
    <>
      {isCaller && <span className="badge violet">caller</span>} {user.role !== "authenticated" && <span className="badge info">{user.role}</span>}{" "}
      {!user.email_confirmed_at && <span className="badge warn">not confirmed</span>} {isBanned(user) && <span className="badge bad">banned</span>}
    </>
  );
}

function Pages({ page, total, choose }: { page: number; total: number; choose: (page: number) => void }) {
  const last = Math.ceil(total / PAGE_SIZE);
  return (
    <div className="row">
      <span className="muted grow">{plural(total, "user")}</span>
      {last > 1 && (
        <>
          <button disabled={page === 1} onClick={() => choose(page - 1)}>
            Previous
          </button>
          <span className="muted">
            page {page} of {last}
          </span>
          <button disabled={page >= last} onClick={() => choose(page + 1)}>
            Next
          </button>
        </>
      )}
    </div>
  );
}

const idOf = (user: User) => `user ${user.id}`;
const timeOf = (time: string) => new Date(time).toLocaleString();
