// Pages of the console work without scripts. This adds what is more convenient with them.

// A form that was sent is not sent once more by a second click.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.dataset.sent) return event.preventDefault()
  if (form.method === 'post') form.dataset.sent = 'yes'
})
// The browser's way back shows the form as it was left.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

// Parts of a page that are live are fetched anew every five seconds, until somebody pauses them.
const liveMs = 5_000
const liveSwitch = document.querySelector('[data-live-switch]')
const liveNote = document.querySelector('[data-live-note]')
let isPaused = false

const refresh = async () => {
  if (isPaused || document.hidden) return
  const answer = await fetch(location.href).catch(() => null)
  // The session has ended: the page leads to the sign-in, and back.
  if (answer?.redirected) return location.reload()
  if (!answer?.ok) {
    liveNote.textContent = 'Not refreshed: the service does not answer.'
    return
  }
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // What somebody is reading, or uses with the keyboard, stays as it is until the next time.
  const selected = getSelection()
  for (const part of document.querySelectorAll('[data-live]')) {
    const fresh = page.getElementById(part.id)
    const isInUse =
      part.contains(document.activeElement) || (!selected.isCollapsed && selected.containsNode(part, true))
    if (!fresh || isInUse || isPaused) continue
    for (const { id } of part.querySelectorAll('details[open]'))
      fresh.querySelector(`#${id}`)?.setAttribute('open', '')
    const positions = [...part.querySelectorAll('.scroll')].map(({ scrollLeft }) => scrollLeft)
    part.replaceChildren(...fresh.childNodes)
    for (const [at, one] of part.querySelectorAll('.scroll').entries()) one.scrollLeft = positions[at] ?? 0
  }
  if (liveNote.textContent !== '') liveNote.textContent = ''
}

if (liveSwitch) {
  liveSwitch.hidden = false
  liveSwitch.addEventListener('click', () => {
    isPaused = !isPaused
    liveSwitch.textContent = isPaused ? 'Go on' : 'Pause'
    liveNote.textContent = isPaused ? 'Paused.' : ''
    refresh()
  })
  setInterval(refresh, liveMs)
}
