// Describes a policy.

import type { Policy } from "../catalog";

export function PolicyCard({ policy }: { policy: Policy }) {
  return (
    <div className="card stack">
      <div className="row">
        <strong>{policy.name}</strong>
        <span className="badge info">{policy.command}</span>
        {!policy.permissive && <span className="badge warn">restrictive</span>}
        <span className="small muted">for {policy.roles.join(", ")}</span>
      </div>
      {policy.using && (
        <p>
          {policy.command === "select" ? "Sees" : "Reaches"} rows where <code>{policy.using}</code>
        </p>
      )}
      {policy.check && (
        <p>
          Writes rows where <code>{policy.check}</code>
        </p>
      )}
    </div>
  );
}
