package model

// IdleMean is the long-run mean of a settled drive at its nominal volts without IO, in
// an idle state.
type IdleMean struct {
	Name                      string // "active" or that of an IdleState
	Rail5VW, Rail12VW, TotalW float64
}

// IdleMeans returns the long-run means in active idle, in watts, with idle noise, bump
// and tasks.
func (d *Drive) IdleMeans() (rail5VW, rail12VW, totalW float64) {
	s := d.start
	w := d.loadWatts(s.idle)
	if s.bumpAmps > 0 {
		with := s.idle
		with[s.bumpRail] += s.bumpAmps
		w[s.bumpRail] += (d.loadWatts(with)[s.bumpRail] - w[s.bumpRail]) * float64(s.bumpLong) / float64(s.bumpEach)
	}
	for i := range s.tasks {
		s.tasks[i].addMean(&w)
	}
	return w[on5V], w[on12V], w[on5V] + w[on12V]
}

// IdleStates returns active idle and each idle state, with the tasks that go on in it:
// those that wake the drive count in active idle only.
func (d *Drive) IdleStates() []IdleMean {
	a, b, sum := d.IdleMeans()
	all := []IdleMean{{Name: "active", Rail5VW: a, Rail12VW: b, TotalW: sum}}
	for i, state := range d.start.states {
		w := d.loadWatts(state.load)
		for j := range d.start.tasks {
			if t := &d.start.tasks[j]; !t.wakes {
				t.addMean(&w)
			}
		}
		all = append(all, IdleMean{Name: d.cfg.IdleStates[i].Name, Rail5VW: w[on5V], Rail12VW: w[on12V], TotalW: w[on5V] + w[on12V]})
	}
	return all
}

// loadWatts returns what the drive draws at nominal volts with a load current.
func (d *Drive) loadWatts(load [railCount]float64) (watts [railCount]float64) {
	for rail := range watts {
		r := d.cfg.rail(rail)
		i := load[rail] + r.LeakAmps
		watts[rail] = (r.NominalVolts - r.SourceOhms*i) * i
	}
	return watts
}

// addMean adds the long-run mean of a task.
func (t *task) addMean(watts *[railCount]float64) {
	for rail := range watts {
		watts[rail] += t.watts[rail] * float64(t.long) / float64(t.each)
	}
}
