import { escaped, type Markup, trusted } from './markup.ts'

/** What a picture shows, in words: for those who hear the page. */
export interface Caption {
  /** Unique on its page. */
  readonly id: string
  readonly title: string
  readonly description: string
}

/** In points. What is wider is scrolled: shrunk to a page, nobody could read it. */
const mostToShrink = 640

let loading: Promise<(dot: string) => string> | null = null

/** The layout engine is large: it is loaded when the first picture is asked for. */
const load = async (): Promise<(dot: string) => string> => {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz')
  const graphviz = await Graphviz.load()
  return (dot) => graphviz.dot(dot)
}

/** A graph in the DOT language as SVG within a page; colours come from the page's style sheet, so that they follow its mode. */
export const drawGraph = async (dot: string, { id, title, description }: Caption): Promise<Markup> => {
  loading ??= load()
  const svg = (await loading)(dot)
  const [, width = '', height = ''] = /<svg width="([\d.]+)pt" height="([\d.]+)pt"/.exec(svg) ?? []
  const inner = svg
    .slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
    .replaceAll(/<!--.*?-->\n?/gs, '')
    .replaceAll(/<title>.*?<\/title>\n?/gs, '')
    .replaceAll(/ id="\w+\d+"/g, '')
    .replaceAll(' xml:space="preserve"', '')
    .replaceAll(/ font-size="([\d.]+)"/g, (_, size) => ` font-size="${Math.round(Number(size) / spare)}"`)
    // The background is the page's.
    .replace(/<polygon fill="white" stroke="none"[^>]*\/>\n?/, '')
  return trusted(
    `<svg class="picture diagram${Number(width) <= mostToShrink ? ' small' : ''}" role="img" aria-labelledby="${id}-title ${id}-description" width="${width}pt" height="${height}pt" viewBox="0 0 ${width} ${height}" xmlns="http://www.w3.org/2000/svg"><title id="${id}-title">${escaped(title)}</title><desc id="${id}-description">${escaped(description)}</desc>${inner}</svg>`,
  )
}

/** A string of the DOT language. */
export const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** Laid out so much larger than it is drawn, because where the style sheet's fonts are missing, the next one is as much wider. */
const spare = 1.2

/** The same metrics as the style sheet's font, so that text fits its box. */
export const diagramDefaults = `graph [bgcolor="white" pad="0.1" fontname="Helvetica"] node [fontname="Helvetica" fontsize="${12 * spare}"] edge [fontname="Helvetica" fontsize="${11 * spare}" arrowsize="0.8"]`
