import { escaped, type Markup, trusted } from './markup.ts'
import { loadGraphviz } from './vendor.ts'

/** A diagram's text for screen readers. */
export interface Caption {
  /** Unique on its page. */
  readonly id: string
  readonly title: string
  readonly description: string
}

/** How far a diagram may be shrunk, by its width in points, so that it can still be read. One that has no room then is scrolled. */
const sizeOf = (width: number): string => {
  // 26rem, which is as far as a small one is shrunk: one that is narrower would be enlarged to it.
  if (width <= 312) return ' small narrow'
  if (width <= 640) return ' small'
  return width > 768 && width <= 1200 ? ' medium' : ''
}

/** The layout engine is large, so it is loaded for the first diagram. */
let loading: Promise<(dot: string) => string> | null = null

/** Renders a graph in the DOT language as inline SVG. Colours come from the page's style sheet, which has a dark mode. */
export const drawGraph = async (dot: string, { id, title, description }: Caption): Promise<Markup> => {
  loading ??= loadGraphviz()
  const svg = (await loading)(dot)
  const [, width = '', height = ''] = /<svg width="([\d.]+)pt" height="([\d.]+)pt"/.exec(svg) ?? []
  const inner = svg
    .slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
    .replaceAll(/<!--.*?-->\n?/gs, '')
    .replaceAll(/<title>.*?<\/title>\n?/gs, '')
    .replaceAll(/ id="\w+\d+"/g, '')
    .replaceAll(' xml:space="preserve"', '')
    .replaceAll(/ font-size="([\d.]+)"/g, (_, size) => ` font-size="${Math.round(Number(size) / spare)}"`)
    // The page has the background.
    .replace(/<polygon fill="white" stroke="none"[^>]*\/>\n?/, '')
  return trusted(
    `<svg class="picture diagram${sizeOf(Number(width))}" role="img" aria-labelledby="${id}-title ${id}-description" width="${width}pt" height="${height}pt" viewBox="0 0 ${width} ${height}" xmlns="http://www.w3.org/2000/svg"><title id="${id}-title">${escaped(title)}</title><desc id="${id}-description">${escaped(description)}</desc>${inner}</svg>`,
  )
}

/** A string of the DOT language. */
export const dotString = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** Boxes are laid out this much larger than their text, because fallback fonts are wider. */
const spare = 1.2

/** Helvetica has the metrics of the style sheet's font, so that text fits its box. */
export const diagramDefaults = `graph [bgcolor="white" pad="0.1" fontname="Helvetica"] node [fontname="Helvetica" fontsize="${12 * spare}"] edge [fontname="Helvetica" fontsize="${11 * spare}" arrowsize="0.8"]`
