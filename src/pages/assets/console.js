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
