import type { HttpResponse } from '../http.ts'
import icon from '../site/assets/icon.svg?text'
import { createAssetTable } from '../site/html/asset-table.ts'
import { type Html, html } from '../site/html/html.ts'
import { documentReply } from '../site/html/html-document.ts'
import stylesheet from './assets/dashboard.css?text'
import program from './assets/main.ts?script'

const dashboardPath = '/_emulator/ui'

/** The dashboard's own files, served below it: the website may be elsewhere. */
export const dashboardAssets = createAssetTable({
  'icon.svg': { text: icon, type: 'image/svg+xml' },
  'dashboard.css': { text: stylesheet, type: 'text/css; charset=utf-8' },
  'dashboard.js': { text: program, type: 'text/javascript; charset=utf-8' },
})

const address = (...[name]: Parameters<typeof dashboardAssets.path>) => `${dashboardPath}/${dashboardAssets.path(name)}`

/**
 * The frame of the page, which its program fills.
 * @param refused the status of the control API without its token: a form asks for it before the frame is shown
 */
export function dashboardPage(refused?: number): HttpResponse {
  const headings = ['Requests', 'Quota', 'Clock', 'Faults', 'Accounts', 'Settings', 'State']
  const links = headings.map((heading) => html`<a href="#${heading.toLowerCase()}">${heading}</a>`)
  const [requests = '', quota = '', clock = '', ...others] = headings.map(section)
  const frame = html`<a class="skip" href="#requests">Skip to the requests</a>
<header><h1 class="row"><img src="${address('icon.svg')}" alt="" width="24" height="24">filehost <span>emulator</span></h1><nav aria-label="Sections">${links}</nav><p class="row" id="status"></p></header>
<main>${requests}
<div class="column">${quota}${clock}</div>
${others}</main><p id="toast" role="status"></p>`
  const content = html`<noscript><p class="notice bad">This page needs JavaScript: it is a program over the control API, which curl and the typed calls of tests use too.</p></noscript>
${refused === undefined ? frame : html`${tokenForm}<template id="frame">${frame}</template>`}`
  return document(refused ?? 200, 'Dashboard', content, [address('dashboard.js')])
}

const tokenForm = html`<main class="message"><h1>Dashboard of the emulator</h1>
<p>From another machine or through a proxy it needs the control token: <code>fh emulate --control-token</code> sets it, and an emulator that other machines can reach shows it when it starts.</p>
<form class="stack"><span class="field"><label for="token">Control token</label><input id="token" type="password" autocomplete="off" required aria-describedby="problem"><span class="problem" id="problem" role="alert"></span></span><button>Open</button></form></main>`

function section(heading: string): Html {
  const name = heading.toLowerCase()
  return html`<section id="${name}" aria-labelledby="${name}-heading"><h2 id="${name}-heading">${heading}</h2><div class="said" role="status"></div><div class="body"></div></section>`
}

/** A page with a sentence, and the way back. */
export function messagePage(status: number, heading: string, advice: string): HttpResponse {
  const content = html`<main class="message"><h1>${heading}</h1><p>${advice}</p><p><a href="${dashboardPath}">Open the dashboard</a></p></main>`
  return document(status, heading, content)
}

function document(status: number, title: string, content: Html, scripts?: readonly string[]): HttpResponse {
  return documentReply({
    status,
    language: 'en',
    title: `${title} · filehost emulator`,
    icon: address('icon.svg'),
    stylesheet: address('dashboard.css'),
    ...(scripts && { scripts }),
    content,
    isPersonal: true,
  })
}
