//! What holds in one folder: the settings and rules that are the same everywhere, and what the project there says.

use std::path::Path;
use std::time::SystemTime;

use policy::Settings;

use crate::config::{Answers, ConfigError, InForce, ProjectFile, Setting, Snapshots};
use crate::decide::Broker;
use crate::policies::{How, PolicySet};
use crate::{places, trust};

/// What a judgement in a folder goes by.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    pub(crate) settings: Settings,
    pub(crate) answers: Answers,
    pub(crate) snapshots: Snapshots,
}

/// The settings of a folder, as people look at them.
#[derive(Clone, Debug)]
pub struct Set {
    /// Every key with its value, and which layer gave it.
    pub settings: Vec<Setting>,
    /// Why a layer cannot be read that is the same everywhere.
    pub faults: Vec<ConfigError>,
    /// What does not count, and why: a file that is not root's alone, a variable that would loosen.
    pub ignored: Vec<ConfigError>,
    /// What is wrong with the project's settings.
    pub project_faults: Vec<ConfigError>,
}

impl Broker {
    /// What a judgement in a folder goes by.
    pub(crate) fn here(&self, cwd: &Path) -> Here {
        let (set, held) = self.both(cwd, self.policies.clone(), How::Quickly);
        let said = held.merged.settings();
        let faults = held.project_faults.iter().chain(&set.project_faults);
        Here {
            answers: held.merged.answers(),
            snapshots: held.merged.snapshots(),
            settings: Settings {
                project_broken: faults.map(ConfigError::whole).next(),
                posture: said.posture,
                disabled: said.disabled,
                unprotected: said.unprotected,
                written: set.written(),
                ..self.settings().clone()
            },
        }
    }

    /// What is set in a folder: the project there may tighten it.
    #[must_use]
    pub fn settings_in(&self, cwd: &Path) -> Settings {
        self.here(cwd).settings
    }

    /// Every setting of a folder, and what is wrong with it.
    #[must_use]
    pub fn config_in(&self, cwd: &Path) -> Set {
        let (_, held) = self.both(cwd, PolicySet::default(), How::Quickly);
        Set {
            settings: held.merged.rows(),
            faults: self.layers.faults.clone(),
            ignored: held.ignored,
            project_faults: held.project_faults,
        }
    }

    /// The policy files that are in force in a folder, read anew: every rule, and all that is wrong, in settings and rules of
    /// one's own as well.
    #[must_use]
    pub fn policies(&self, cwd: &Path) -> PolicySet {
        let mut own = PolicySet::in_force(self.places(), How::Fully, SystemTime::now());
        own.own_faults
            .splice(..0, self.faults_beside_policies().iter().cloned());
        let (mut set, held) = self.both(cwd, own, How::Fully);
        set.project_faults.splice(..0, held.project_faults);
        set
    }

    /// These policy files with those of the project, and the settings with the project's.
    fn both(&self, cwd: &Path, own: PolicySet, how: How) -> (PolicySet, InForce) {
        let (root, places) = (places::project(cwd), self.places());
        let set = PolicySet::of_project(places, cwd, how, SystemTime::now());
        let file = ProjectFile::read(root);
        // Whether a project is trusted matters only where it says what a trusted one may say.
        let trusted = (set.loosens() || self.layers.loosened_by(&file))
            && trust::fits(&places.state, root, &set.texts, &file.digest());
        (own.join(set, trusted), self.layers.in_project(&file, trusted))
    }
}
