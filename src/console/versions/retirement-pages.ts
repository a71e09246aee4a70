import { counted } from '../../compile/names/plural.ts'
import { storeContact } from '../../lifecycle/contacts.ts'
import { decideRetirement, type RetirementBlocker } from '../../lifecycle/decide.ts'
import { collectFacts } from '../../lifecycle/facts.ts'
import { retireVersion } from '../../lifecycle/retire-version.ts'
import { withdrawDecision } from '../../lifecycle/retirement-decisions.ts'
import { html } from '../../pages/markup.ts'
import { askOnce, isConfirmed } from '../ask-once.ts'
import type { ConsolePage, PostedForm, ShownPage, Visit } from '../console-page.ts'
import { ConsoleRefusal } from '../console-refusal.ts'
import { versionsPath, versionUrl } from './version-list-page.ts'
import { shownVersion, versionOf, windowMs } from './version-page.ts'

/** The end of a version, and what leads to it. Each is asked once; the functions of the lifecycle record who did it. */
export const retirementPages: readonly ConsolePage[] = [
  { kind: 'page', path: `${versionsPath}/{version}/told`, post: noteContact },
  { kind: 'page', path: `${versionsPath}/{version}/retire`, post: retire },
  { kind: 'page', path: `${versionsPath}/{version}/withdraw`, post: withdraw },
]

async function retire(visit: Visit, form: PostedForm) {
  const { store, clock } = visit.parts
  const version = versionOf(visit)
  const { name } = version
  if (isConfirmed(form)) {
    const options = { clock, windowMs, by: visit.operator, dryRun: false }
    const { retired, blockers } = await retireVersion(store, version, options)
    if (!retired) return refusedBy(visit, blockers)
    return { goTo: visit.link(versionUrl(name), { done: 'retired' }) }
  }
  const facts = await collectFacts(store, version, { now: clock.now(), windowMs })
  const { allowed, blockers } = decideRetirement(facts)
  if (!allowed) return refusedBy(visit, blockers)
  return askOnce(visit, form, {
    title: `Retire ${name}?`,
    content: html`<p>It answers 410 within a few seconds, to everybody, with the way to ${facts.successor?.name}. Before it is decided, all processes write what they have counted, which takes some seconds.</p>`,
    path: `${versionUrl(name)}/retire`,
    fields: [],
    button: `Retire ${name}`,
    isGrave: true,
    back: versionUrl(name),
  })
}

const refusedBy = (visit: Visit, blockers: readonly RetirementBlocker[]): Promise<ShownPage> => {
  const count = `${counted(blockers.length, 'thing')} ${blockers.length === 1 ? 'stands' : 'stand'}`
  return shownVersion(visit, `${versionOf(visit).name} was not retired: ${count} in the way.`)
}

async function withdraw(visit: Visit, form: PostedForm) {
  const { store, clock } = visit.parts
  const { name } = versionOf(visit)
  const why = noteIn(form, 'why')
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: `Serve ${name} again?`,
      content: html`<p>The decision stays on record, withdrawn, with your reason: ${why}</p>`,
      path: `${versionUrl(name)}/withdraw`,
      fields: ['why'],
      button: `Serve ${name} again`,
      back: versionUrl(name),
    })
  const isDone = await withdrawDecision(store, { version: name, at: clock.now(), by: visit.operator }, why)
  if (!isDone) throw new ConsoleRefusal(409, 'Refused', `${name} is not retired.`)
  return { goTo: visit.link(versionUrl(name), { done: 'withdrawn' }) }
}

async function noteContact(visit: Visit, form: PostedForm) {
  const { store, clock } = visit.parts
  const version = versionOf(visit)
  const { name } = version
  const facts = await collectFacts(store, version, { now: clock.now(), windowMs })
  const standing = decideRetirement(facts).blockers.flatMap(({ consumer }) => consumer ?? [])
  const found = standing.find((one) => one.account === form.get('of') && one.name === form.get('consumer'))
  if (!found)
    throw new ConsoleRefusal(
      409,
      'Refused',
      'No such consumer stands in the way any more: it was told already.',
    )
  const note = noteIn(form, 'note')
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: `Note that ${found.name} was told?`,
      content: html`<p>${found.name} of ${found.account} then stands in the way of the end of ${name} no more. The note: ${note}</p>`,
      path: `${versionUrl(name)}/told`,
      fields: ['of', 'consumer', 'note'],
      button: 'Note it',
      back: versionUrl(name),
    })
  const { account, name: consumer } = found
  await storeContact(store, { version: name, account, consumer, note, by: visit.operator, at: clock.now() })
  return { goTo: visit.link(versionUrl(name), { done: 'told' }) }
}

const noteIn = (form: PostedForm, field: string): string => {
  const note = (form.get(field) ?? '').trim().slice(0, 1000)
  if (note === '') throw new ConsoleRefusal(422, 'Refused', 'Write some words for the record.')
  return note
}
