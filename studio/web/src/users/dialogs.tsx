// The dialogs of the view Users: a new user, a new password, and the deletion of a user.

import { useState, type ReactNode } from "react";
import { Failure } from "../http";
import { useSession } from "../session";
import { Dialog, FailureNotice, focusedFirst } from "../ui/parts";
import { call, type User } from "./api";

interface Given {
  close: () => void;
  /** Called with a message after the change. */
  done: (message: string) => void;
}

/** Sends a change to the service; `failure` is the reason if it was refused. */
function useChange(done: Given["done"]) {
  const { serviceKey } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const send = (method: string, path: string, body: unknown, message: string) => {
    setFailure(null);
    call(serviceKey, method, path, body).then(
      () => done(message),
      (error: unknown) => setFailure(error instanceof Failure ? error : new Failure(String(error))),
    );
  };
  return { failure, send };
}

function Form({ submit, failure, children }: { submit: () => void; failure: Failure | null; children: ReactNode }) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      {failure && <FailureNotice failure={failure} />}
    </form>
  );
}

function PasswordField({ value, change, first }: { value: string; change: (value: string) => void; first?: boolean }) {
  return (
    <label className="field">
      <span>Password</span>
      <input required type="password" autoComplete="new-password" minLength={6} ref={first ? focusedFirst : undefined} value={value} onChange={(event) => change(event.target.value)} />
      <small>At least 6 characters.</small>
    </label>
  );
}

export function NewUser({ close, done }: Given) {
  const { failure, send } = useChange(done);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [metadata, setMetadata] = useState("{}");
  const [wrong, setWrong] = useState<Failure | null>(null);
  const create = () => {
    setWrong(null);
    try {
      const body = { email, password, email_confirm: true, user_metadata: JSON.parse(metadata || "{}") };
      send("POST", "", body, `${email} was created.`);
    } catch {
      setWrong(new Failure("The metadata must be a JSON object."));
    }
  };
  return (
    <Dialog title="New user" close={close}>
      <Form submit={create} failure={wrong ?? failure}>
        <label className="field">
          <span>E-mail</span>
          <input required type="email" autoComplete="off" ref={focusedFirst} value={email} onChange={(event) => setEmail(event.target.value)} />
          <small>It counts as confirmed. No mail is sent.</small>
        </label>
        <PasswordField value={password} change={setPassword} />
        <label className="field">
          <span>User metadata, which triggers read as raw_user_meta_data</span>
          <textarea rows={3} value={metadata} spellCheck={false} onChange={(event) => setMetadata(event.target.value)} />
        </label>
        <div className="row">
          <button className="primary">Create</button>
        </div>
      </Form>
    </Dialog>
  );
}

export function Password({ user, close, done }: Given & { user: User }) {
  const { failure, send } = useChange(done);
  const [password, setPassword] = useState("");
  return (
    <Dialog title="Set the password" close={close}>
      <Form submit={() => send("PUT", `/${user.id}`, { password, email_confirm: true }, `The password of ${user.email} was set.`)} failure={failure}>
        <p className="ellipsis">{user.email}</p>
        <PasswordField first value={password} change={setPassword} />
        <p className="small muted">It ends the sessions of the user, and confirms the e-mail address.</p>
        <div className="row">
          <button className="primary">Set</button>
        </div>
      </Form>
    </Dialog>
  );
}

export function Deletion({ user, close, done }: Given & { user: User }) {
  const { failure, send } = useChange(done);
  return (
    <Dialog title="Delete the user?" close={close}>
      <p className="wrapped">{user.email}</p>
      <p className="muted">Rows that refer to the user are deleted too, or prevent this, as their foreign keys say.</p>
      {failure && <FailureNotice failure={failure} />}
      <div className="row">
        <button className="danger" onClick={() => send("DELETE", `/${user.id}`, {}, `${user.email} was deleted.`)}>
          Delete
        </button>
        <button ref={focusedFirst} onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
