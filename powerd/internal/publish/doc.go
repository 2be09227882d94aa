// Package publish turns the results of a run into what people look at: pictures,
// and a report of tables, pictures, withheld figures and warnings.
//
// # Errors
//
// A picture that cannot be drawn (no samples of that time) is left out and named in
// the report's warnings; everything else is written. Nothing is left half written.
package publish
