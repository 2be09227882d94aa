// Package report turns a run's tables and pictures into what people read: a
// self-contained HTML page, Markdown with its plots beside it, one CSV file a
// table, and plain text for the terminal that `powerd run` ends with.
//
// # The problem
//
// A figure is copied out of a report and travels on alone. So its unit stands in
// the heading over it, its ± stands beside it, and a figure that the samples could
// not support is the word "withheld" with the reason next to the table, not an
// empty field that a spreadsheet reads as zero. Names of drives and steps come
// from outside: they are text in every format, never markup and never a terminal
// command.
//
// # Terms
//
//	doc        all that a report shows; the formats are views of it
//	line       a headline figure with its datasheet verdict
//	grid       a table as people see it: cells formatted, reasons numbered
//	pivot      a long table turned into a matrix: rows × columns of one figure
//	withheld   a figure that is not given, and why
//
// Figures are formatted by analysis.Column.Format and nowhere else, save in CSV,
// which holds full precision for programs, with ± as columns "<name>_u95" and the
// reasons of withheld cells in the last column, "why".
//
// # Errors
//
// Every file appears whole or not at all. A picture that cannot be read is left out
// of the page and reported; the rest of the report is written all the same.
package report
