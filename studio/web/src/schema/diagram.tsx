// The entity diagram: tables, their keys, and their relationships.

import { Background, BaseEdge, Controls, Handle, MarkerType, MiniMap, Position, ReactFlow, type Edge, type EdgeProps, type Node, type NodeProps, type ReactFlowInstance } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Relation } from "../catalog";
import { useLoading } from "../loading";
import { addressOf, go } from "../router";
import { Icon } from "../ui/icons";
import { FailureNotice, Waiting, count } from "../ui/parts";
import { save } from "../ui/save";
import { layoutOf, pathOf, WIDTH, type Placed } from "./layout";
import { svgOf } from "./svg";

const nodeTypes = { relation: RelationNode };
const edgeTypes = { routed: RoutedEdge };
const FIT = { maxZoom: 1, padding: 0.08 };

export function Diagram({ relations, found }: { relations: Relation[]; found: Set<number> | null }) {
  const layout = useLoading((signal) => layoutOf(relations, signal), [relations]);
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const isMoved = useRef(false);
  useEffect(() => {
    if (!flow || !frame.current) return;
    const sizes = new ResizeObserver(() => isMoved.current || void flow.fitView(FIT));
    sizes.observe(frame.current);
    return () => sizes.disconnect();
  }, [flow]);
  const nodes = useMemo<Node[]>(
    () =>
      (layout.value?.placed ?? []).map((each) => ({
        id: each.id,
        type: "relation",
        position: { x: each.x, y: each.y },
        data: { placed: each, dim: !!found && !found.has(each.relation.oid) },
        width: WIDTH,
        height: each.height,
        ariaLabel: `${each.relation.name}, ${each.relation.columns.length} columns`,
      })),
    [layout.value, found],
  );
  const edges = useMemo<Edge[]>(
    () => (layout.value?.drawn ?? []).map((each) => ({ id: each.id, type: "routed", source: each.from, target: each.to, data: { path: pathOf(each.points) }, ariaLabel: each.name, markerEnd: { type: MarkerType.ArrowClosed }, focusable: false })),
    [layout.value],
  );
  if (layout.failure) return <FailureNotice failure={layout.failure} again={layout.again} />;
  if (!layout.value) return <Waiting what="the diagram" />;
  return (
    <div className="diagram" ref={frame}>
      <ReactFlow
        // After another choice of tables, the complete diagram is shown.
        key={layout.value.placed.map((each) => each.id).join()}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={FIT}
        onInit={(instance) => {
          isMoved.current = false;
          setFlow(instance);
        }}
        // After a change of size, the complete diagram is shown, unless the visitor has chosen a part of it.
        onMoveStart={(event) => event && (isMoved.current = true)}
        minZoom={0.03}
        nodesDraggable={false}
        nodesConnectable={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, node) => openNode(node)}
        onKeyDown={(event) => {
          const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset["id"];
          const node = event.key === "Enter" && nodes.find((each) => each.id === id);
          if (node) openNode(node);
        }}
      >
        <Background gap={24} />
        <Controls
          showInteractive={false}
          fitViewOptions={FIT}
          onZoomIn={() => (isMoved.current = true)}
          onZoomOut={() => (isMoved.current = true)}
          onFitView={() => (isMoved.current = false)}
        />
        {relations.length > 15 && <MiniMap pannable zoomable ariaLabel="Overview of the diagram" className="only-wide" />}
      </ReactFlow>
      <button className="export" onClick={() => save("schema.svg", svgOf(layout.value!), "image/svg+xml")}>
        <Icon name="down" /> SVG
      </button>
    </div>
  );
}

function openNode(node: Node) {
  const { relation } = (node.data as { placed: Placed }).placed;
  go(addressOf("schema", [`${relation.schema}.${relation.name}`]));
}

/** A line as the layout routes it: around the tables, which a straight one would cross. */
function RoutedEdge({ data, markerEnd }: EdgeProps) {
  return <BaseEdge path={(data as { path: string }).path} markerEnd={markerEnd} />;
}

function RelationNode({ data }: NodeProps) {
  const { placed, dim } = data as { placed: Placed; dim: boolean };
  const { relation } = placed;
  return (
    <div className={`entity ${dim ? "dim" : ""}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <div className="head">
        <strong className="ellipsis">{relation.name}</strong>
        {relation.rowSecurity && <Icon name="lock" />}
        <span className="small muted">{relation.rows >= 0 ? count.format(relation.rows) : ""}</span>
      </div>
      {placed.columns.map((each) => (
        <div key={each.name} className={`line ${each.mark}`}>
          <span className="ellipsis">{each.name}</span>
          <span className="ellipsis muted">{each.type}</span>
        </div>
      ))}
      {placed.hidden > 0 && <div className="line muted">and {placed.hidden} more</div>}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
