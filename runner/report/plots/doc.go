// Package plots draws a document's figures for papers and slides: the drawings of package html, which hold the numbers, as SVG and
// PNG by gonum.org/v1/plot.
//
//	html.Scatter, Strips, Plot ─ Figure ─▶ NAME.svg, NAME.png
//
// Colours are Okabe and Ito's, which people with every kind of colour vision tell apart, and no two kinds of mark differ by colour
// alone. The same figure gives the same bytes.
//
// The files: figure is a drawing with its size and its formats, style the colours and lines, legend what stands below; scatter,
// strips and curves draw one kind each.
package plots
