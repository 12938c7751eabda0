const tonesLight = ['#1d4ed8', '#b45309', '#047857', '#7c3aed', '#be123c', '#475569']
const tonesDark = ['#93c5fd', '#fcd34d', '#6ee7b7', '#c4b5fd', '#fda4af', '#cbd5e1']

/** The style of a chart's SVG, for light and dark. */
export const svgStyle = [
  'text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2937}',
  '.title{font-size:16px;font-weight:700}.name{font-weight:700}.row{font-size:11px}.places{fill:#1d4ed8;font-weight:400}',
  '.page{fill:#ffffff}.state{fill:#f8fafc;stroke:#64748b}.inner{fill:none;stroke:#64748b}.start{fill:#1f2937}',
  '.parallel .state{stroke-dasharray:6 3}.passed .state{fill:#dbeafe;stroke:#1d4ed8}',
  '.active .state{fill:#bfdbfe;stroke:#1d4ed8;stroke-width:2.5}.lane path{fill:none;stroke-width:1.2}marker path{fill:#475569}',
  ...tonesLight.map((tone, index) => `.tone${index} path{stroke:${tone}}.tone${index} circle{fill:${tone}}`),
  '@media (prefers-color-scheme:dark){text{fill:#e5e7eb}.page{fill:#0f172a}.state{fill:#1e293b;stroke:#94a3b8}.inner{stroke:#94a3b8}',
  '.start{fill:#e5e7eb}.places{fill:#93c5fd}.passed .state{fill:#1e3a5f;stroke:#60a5fa}.active .state{fill:#1e40af;stroke:#93c5fd}',
  'marker path{fill:#cbd5e1}',
  ...tonesDark.map((tone, index) => `.tone${index} path{stroke:${tone}}.tone${index} circle{fill:${tone}}`),
  '}',
].join('\n')
