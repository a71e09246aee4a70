import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The relative links in Markdown files below a folder that lead nowhere. */
export const brokenLinks = (folder: string, files: readonly string[]): readonly string[] =>
  files.flatMap((file) =>
    [...prose(folder, file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && isBroken(folder, file, link))
      .map((link) => `${file}: ${link}`),
  )

/** Without code, where brackets mean something else. */
const prose = (folder: string, file: string): string =>
  readFileSync(join(folder, file), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

const isBroken = (folder: string, from: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#', 2)
  const target = path === '' ? from : join(dirname(from), decodeURI(path))
  if (!existsSync(join(folder, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(folder, target).has(anchor)
}

/** As GitHub names them: lower case, spaces as hyphens, everything but words dropped. */
const anchorsOf = (folder: string, file: string): ReadonlySet<string> =>
  new Set(
    [...prose(folder, file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
