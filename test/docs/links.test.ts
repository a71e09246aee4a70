import { expect, test } from 'vitest'
import { brokenLinks } from './broken-links.ts'
import { allDocs, readDoc, root } from './markdown.ts'

test('every relative link in the documents leads somewhere', () => {
  expect(brokenLinks(root, allDocs())).toEqual([])
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
