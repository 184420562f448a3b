import type { HttpReply } from '../../http-types.ts'
import { type Html, html } from '../../site/html/html.ts'
import { dashboardPath, fieldProblem, formTo, liveRegion, problemText, saysWrong } from '../form.ts'
import type { Section, SnapshotStream, View } from '../section.ts'
import { sureForm } from '../sure-form.ts'
import { environment } from './environment.ts'
import { heldWords, resetEverything, restoreSnapshot } from './state-actions.ts'

export const stateSection: Section = {
  name: 'state',
  heading: 'State',
  live: facts,
  view: (view) => html`${liveRegion('state', facts(view))}
<div class="forms">
<div><p>A snapshot has everything: settings, clock, faults, accounts, uploads with their files, log, charges. Of keys and passwords it has hashes.</p>
<p><a class="button quiet" href="${dashboardPath}/state/snapshot" download>Download snapshot</a></p></div>
${restoreForm(view)}
${resetForm(view)}
</div>
<h3 id="environment">Environment</h3>
${environment(view)}`,
  actions: { restore: restoreSnapshot, reset: resetEverything },
  downloads: { snapshot: downloadSnapshot },
}

function facts({ control }: View): Html {
  return html`<p>${heldWords(control.health())}.</p>`
}

function restoreForm(view: View): Html {
  const action = 'state/restore'
  const id = 'snapshot'
  const problem = fieldProblem(view, action, id)
  const content = html`<span class="field"><label for="${id}">Restore a snapshot</label><input id="${id}" name="snapshot" type="file" accept=".json,application/json" required${saysWrong(id, problem)}>${problemText(id, problem)}</span><button class="quiet">Restore</button>`
  return formTo(view, action, content, { hasFiles: true })
}

function resetForm(view: View): Html {
  return sureForm(view, {
    action: 'state/reset',
    consequence: 'Everything returns to the seed: uploads, counts, log, faults, settings and other accounts vanish',
    button: 'Reset',
  })
}

/** The name of the file says when, and nothing of what is in it. */
async function downloadSnapshot({ control }: View, snapshot: SnapshotStream): Promise<HttpReply> {
  const body = await snapshot()
  const time = control.clock.get().now.slice(0, 19).replaceAll(':', '-')
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json',
      'Content-Disposition': `attachment; filename="filehost-emulator-${time}.json"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    body,
  }
}
