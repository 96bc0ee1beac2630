// Describes a policy.

import type { Policy } from "../catalog";

export function PolicyCard({ policy }: { policy: Policy }) {
  const allows = policy.permissive ? "Allows" : "Allows only";
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
          {allows} existing rows where <code>{policy.using}</code>
        </p>
      )}
      {policy.check && (
        <p>
          {allows} new and changed rows where <code>{policy.check}</code>
        </p>
      )}
    </div>
  );
}
