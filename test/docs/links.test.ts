import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { allDocs, readDoc, root } from './markdown.ts'

/** As GitHub names them: lower case, spaces as hyphens, everything but words dropped. */
const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set(
    [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

/** Without code, where brackets mean something else. */
const prose = (file: string): string => readDoc(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

const isBroken = (from: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#', 2)
  const target = path === '' ? from : join(dirname(from), decodeURI(path))
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
}

test('every relative link in the documents leads somewhere', () => {
  const broken = allDocs().flatMap((file) =>
    [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && isBroken(file, link))
      .map((link) => `${file}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('users of the package read the command as they run it: npx nounkit', () => {
  // These are for people who have a checkout, or say what differs there.
  const users = allDocs().filter(
    (file) => !['CONTRIBUTING.md', 'docs/reference/cli.md', 'examples/library/README.md'].includes(file),
  )
  expect(users.filter((file) => readDoc(file).includes('bin/nounkit'))).toEqual([])
  // The current folder need not be named.
  const named = users.filter((file) =>
    /npx nounkit (?!init)[a-z]+(?: [a-z]+)? \.(?: |`|$)/m.test(readDoc(file)),
  )
  expect(named).toEqual([])
})

test('nothing in the documents names a machine', () => {
  const named = allDocs().filter((file) => /\/(?:home|root|work|Users)\/\w/.test(readDoc(file)))
  expect(named).toEqual([])
})
