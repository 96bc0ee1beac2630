// The diagram as a separate SVG file, to save or print. Names become text, never markup.

import { type Layout, pathOf, WIDTH } from "./layout";

const escaped = (text: string) => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
const MARGIN = 24;
const LONGEST = 28;
const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

export function svgOf({ placed, drawn, width, height }: Layout): string {
  const lines = drawn.map((each) => `<path d="${pathOf(each.points)}" fill="none" stroke="#8a8075" marker-end="url(#arrow)"/>`);
  const boxes = placed.map((each) => {
    const rows = each.columns.map(
      (column, index) =>
        `<text x="12" y="${58 + index * 22}" font-weight="${column.mark ? 600 : 400}">${escaped(cut(column.name))}</text>` +
        `<text x="${WIDTH - 12}" y="${58 + index * 22}" text-anchor="end" fill="#655d53">${escaped(cut(column.type))}</text>`,
    );
    const more = each.hidden ? `<text x="12" y="${58 + each.columns.length * 22}" fill="#655d53">and ${each.hidden} more</text>` : "";
    return `<g transform="translate(${each.x} ${each.y})"><rect width="${WIDTH}" height="${each.height}" rx="8" fill="#fff" stroke="#8a8075"/><text x="12" y="25" font-size="14" font-weight="700">${escaped(cut(each.relation.name))}${each.relation.rowSecurity ? " 🔒" : ""}</text><path d="M0 38H${WIDTH}" stroke="#e2dbd0"/>${rows.join("")}${more}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}" font-family="system-ui, sans-serif" font-size="12" fill="#211d18"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8a8075"/></marker></defs>${lines.join("")}${boxes.join("")}</svg>`;
}
