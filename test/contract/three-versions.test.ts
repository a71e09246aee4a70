import { expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import type { View } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import * as change from '../../src/declare/change.ts'
import { olderOf, viewIn } from '../support/pair.ts'
import { oneStep, threeVersions } from '../support/three-versions.ts'

const three = compileApi(threeVersions)
const [v3 = three.head, v2 = three.head, v1 = three.head] = three.versions

test('every kind of change stands in it', () => {
  const kinds = new Set([...v1.changes, ...v2.changes].map(({ kind }) => kind))
  const builders = Object.keys(change).map((name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  )
  expect([...kinds].sort()).toEqual(builders.sort())
})

test('v1 → v3 is v1 → v2 → v3: one promise', () => {
  const direct = compileApi(oneStep)
  const differences = compareContracts(contractOf(three, v1), contractOf(direct, olderOf(direct)))
  expect(differences).toEqual([])
})

test('v1 → v3 is v1 → v2 → v3: one way of storing and showing every value', () => {
  const direct = olderOf(compileApi(oneStep))
  const meaning = (view: View) => ({
    absent: [...view.whenAbsent].sort(),
    fields: view.fields.map(({ name, field, values, codec }) => ({
      name,
      column: field?.column,
      codec,
      down: [...(values?.down ?? [])].sort(),
      up: [...(values?.up ?? [])].sort(),
    })),
  })
  for (const [name, view] of v1.views) expect(meaning(view)).toEqual(meaning(viewIn(direct, name)))
})

test('values compose over versions, and only a difference that the version shows is written', () => {
  const stage = viewIn(v1, 'packages').field.get('stage')
  expect(Object.fromEntries(stage?.values?.down ?? [])).toEqual({
    packed: 'boxed',
    shipped: 'out',
    withdrawn: 'withdrawn',
    delivered: 'delivered',
    lost: 'out',
  })
  expect(stage?.values?.up.get('out')).toBe('shipped')
  expect(stage?.states?.moves).toEqual({ boxed: ['out', 'withdrawn'], out: ['delivered'] })
})

test('a custom change can replace a field that a newer custom change makes', () => {
  const view = viewIn(v1, 'users')
  expect(view.customs.map((step) => step.newer.map(({ name }) => name))).toEqual([
    ['street', 'city'],
    ['address'],
  ])
  expect(view.field.get('home')?.made).toEqual({ step: 1, key: 'home' })
})

test('the guide over two steps has a section for each, and an entry for each change', () => {
  const guide = guideOf(v1, v3)
  expect(guide).toContain('## From v1 to v2')
  expect(guide).toContain('## From v2 to v3')
  expect(guide.match(/^### \d+\./gm)).toHaveLength(v1.changes.length + v2.changes.length)
})

test('frozen as published, all three pass the gate', () => {
  const contracts = new Map(three.versions.map((version) => [version.name, contractOf(three, version)]))
  const again = compileApi(threeVersions, { contracts })
  expect(checkContracts(again, contracts)).toEqual({ broken: new Set(), refusals: [], grown: [] })
})
