import type { HttpReply } from '../http-types.ts'
import { type Html, html } from '../site/html/html.ts'
import { documentWith } from '../site/html/html-document.ts'
import { dashboardAssets } from './assets.ts'
import type { Dashboard } from './context.ts'
import { dashboardPath } from './form.ts'
import type { Section, View } from './section.ts'
import { sections } from './sections.ts'

/** The whole page; with status 422 where it answers a form that was refused. */
export function dashboardPage(view: View, { start }: Pick<Dashboard, 'start'>): HttpReply {
  const { last, era } = view.journal.look()
  const { version, clock } = view.control.health()
  return reply(
    view.refused === undefined ? 200 : 422,
    'Dashboard',
    html`<header><h1>filehost emulator</h1><nav aria-label="Sections">${sections.map(
      ({ name, heading }) => html`<a href="#${name}">${heading}</a> `,
    )}</nav><p class="soft">${version}, clock ${clock.mode}</p></header>
<main data-start="${start}" data-last="${last}" data-era="${era}">
${sections.map((section) => sectionOf(section, view))}</main>`,
    ['dashboard.js'],
  )
}

function sectionOf({ name, heading, view: show, beside }: Section, view: View): Html {
  const { notice, refused } = view
  const isRefused = refused?.action.startsWith(`${name}/`)
  return html`<section id="${name}" aria-labelledby="${name}-heading"${isRefused === true && html` class="refused"`}>
<h2 id="${name}-heading">${heading}</h2>
${notice?.section === name && html`<div class="notice" role="status">${notice.content}</div>`}${show(view)}
</section>
${beside?.(view)}`
}

/** A page with a sentence, and the way back. */
export function messagePage(status: number, heading: string, advice: string): HttpReply {
  const content = html`<main class="message"><h1>${heading}</h1><p>${advice}</p><p><a href="${dashboardPath}">Open the dashboard</a></p></main>`
  return reply(status, heading, content)
}

/** Asks for the control token. */
export function signInPage(status: number, problem?: string): HttpReply {
  const content = html`<main class="message"><h1>Dashboard of the emulator</h1>
<p>From another machine or through a proxy it needs the control token: <code>fh emulate --control-token</code> sets it, and an emulator that other machines can reach shows it when it starts.</p>
<form method="post" action="${dashboardPath}/sign-in"><span class="field"><label for="control_token">Control token</label><input id="control_token" name="control_token" type="password" autocomplete="off" required${
    problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  }>${problem !== undefined && html`<span class="problem" id="problem">${problem}</span>`}</span><button>Open</button></form></main>`
  return reply(status, 'Sign in', content)
}

function reply(status: number, title: string, content: Html, scripts: readonly 'dashboard.js'[] = []): HttpReply {
  return documentWith(
    {
      status,
      language: 'en',
      title: `${title} · filehost emulator`,
      root: `${dashboardPath}/`,
      stylesheet: 'dashboard.css',
      scripts,
      content,
      isPersonal: true,
    },
    dashboardAssets.path,
  )
}
