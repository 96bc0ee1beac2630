// A statement that the page proposes, with a button that runs it in development.

import { useState } from "react";
import { Failure } from "../http";
import { addressOf, go } from "../router";
import { useSession } from "../session";
import { Icon } from "../ui/icons";
import { FailureNotice, Notice, Sql } from "../ui/parts";
import { showInSql } from "./kept";
import { FailureOf } from "./outcome";
import { runSql, type SqlFailure } from "./running";

interface Given {
  text: string;
  what?: string;
  done?: () => void;
}

export function Proposal({ text, what, done }: Given) {
  const { session } = useSession();
  return (
    <div className="stack proposal">
      <Sql text={text} what={what} />
      {session?.canRunSql && <RunStatement text={text} done={done} />}
    </div>
  );
}

/** Runs the text as the login. `edit` takes it to an editor; otherwise the view SQL opens. */
export function RunStatement({ text, done, edit, disabled }: Given & { edit?: (text: string) => void; disabled?: boolean }) {
  const [state, setState] = useState<"" | "running" | "ran">("");
  const [refused, setRefused] = useState<SqlFailure | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async () => {
    setState("running");
    setRefused(null);
    setFailure(null);
    try {
      const outcome = await runSql(text, { role: null });
      setRefused(outcome.failure);
      setState(outcome.failure ? "" : "ran");
      if (!outcome.failure) done?.();
    } catch (error) {
      setFailure(error as Failure);
      setState("");
    }
  };
  const open = () => {
    showInSql(text);
    go(addressOf("sql"));
  };
  return (
    <>
      <div className="row">
        <button type="button" className="primary" disabled={disabled || state === "running"} onClick={() => void run()}>
          <Icon name="play" /> Run this statement
        </button>
        <button type="button" disabled={disabled} onClick={() => (edit ? edit(text) : open())}>
          Edit it in SQL
        </button>
      </div>
      {state === "ran" && <Notice tone="good">The statement ran.</Notice>}
      {refused && <FailureOf failure={refused} text={text} />}
      {failure && <FailureNotice failure={failure} />}
    </>
  );
}
