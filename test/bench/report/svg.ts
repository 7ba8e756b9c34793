/** Pictures for pages, readable on light and dark ones: what all of them have in common. */

export interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'end';
  readonly weight?: number;
}

export function text(content: string, { x, y, anchor = 'start', weight = 400 }: TextPlace): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}" font-weight="${weight}">${escaped}</text>`;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** CSS besides that of texts, for light pages and for dark ones. */
  readonly style: readonly [light: string, dark: string];
}

export function svg({ width, height, title, style }: Picture, parts: readonly string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const [light, dark] = style;
  const css = `text { font: 13px system-ui, sans-serif; fill: #24292f } ${light}
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } ${dark} }`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n<title>${title}</title>\n<style>${css}</style>\n${parts.join('\n')}\n</svg>\n`;
}
